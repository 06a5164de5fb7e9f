// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// What an accessory source tells.
public enum AccessoryEvent: Sendable {
    /// The accessories that are attached when the subscription begins. Always the first event, and only then.
    case snapshot([AccessoryDescription])
    /// An accessory was attached and is ready to be talked to.
    case attached(AccessoryDescription)
    /// An accessory that is attached is described otherwise from now on: another protocol came or went.
    case changed(AccessoryDescription)
    /// An accessory is gone, with what was known of it.
    case detached(AccessoryDescription)
}
