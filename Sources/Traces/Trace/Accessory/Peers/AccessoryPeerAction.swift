// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// What a peer does.
public enum AccessoryPeerAction: Sendable, Hashable {
    /// Sends bytes.
    case send([UInt8])
    /// Waits that many seconds before it does what comes behind. What comes in meanwhile is told all the same.
    case wait(Double)
    /// Asks for ``AccessoryPeerEvent/woken`` in that many seconds, without waiting. The last call counts.
    case wake(after: Double)
    /// Ends the session from the accessory's side, after everything before has been sent.
    case hangUp
    /// The accessory is unplugged.
    case unplug

    /// Sends a text in UTF-8, without a line end.
    public static func text(_ text: String) -> AccessoryPeerAction { .send([UInt8](text.utf8)) }
}
