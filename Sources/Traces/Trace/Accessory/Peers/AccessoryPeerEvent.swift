// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// What happens to a peer.
public enum AccessoryPeerEvent: Sendable, Hashable {
    /// Somebody has opened the protocol. Always the first event.
    case opened
    /// Bytes came in, at least one; how they are cut means nothing.
    case received([UInt8])
    /// The time is up that ``AccessoryPeerAction/wake(after:)`` asked for.
    case woken
    /// The session is over. Always the last event; what it asks for is not done any more.
    case closed
}
