// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// What happens to an accessory.
enum AccessoryChange: String, Sendable {
    case connected = "EAAccessoryDidConnect"
    case disconnected = "EAAccessoryDidDisconnect"
}
