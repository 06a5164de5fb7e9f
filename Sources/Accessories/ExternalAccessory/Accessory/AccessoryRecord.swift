// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Synchronization

/// What is known of one attachment of an accessory; behind its ``EAAccessory``.
final class AccessoryRecord: Sendable {
    private struct State {
        var description: AccessoryDescription
        var isConnected = true
        weak var device: Device?
    }

    private let state: Mutex<State>

    init(_ description: AccessoryDescription, device: Device?) {
        state = Mutex(State(description: description, device: device))
    }

    var description: AccessoryDescription { state.withLock { $0.description } }

    var isConnected: Bool { state.withLock { $0.isConnected } }

    /// The device that the accessory is attached to; nil when it is no more.
    var device: Device? { state.withLock { $0.device } }

    func change(_ description: AccessoryDescription) {
        state.withLock { $0.description = description }
    }

    func disconnect() {
        state.withLock { $0.isConnected = false }
    }
}
