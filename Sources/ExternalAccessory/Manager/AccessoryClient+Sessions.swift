// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Synchronization

extension AccessoryClient {
    /// Opens a protocol for a session. A session that has it is closed first.
    func open(_ accessory: EAAccessory, protocol name: String) throws(DeviceError) -> SessionCore {
        guard let device else {
            throw DeviceError(.notFound, "The device of the accessory \"\(accessory.name)\" is no more.")
        }
        let channel = try openChannel(accessory, protocol: name)
        let core = SessionCore(channel: channel, device: device, accessory: accessory, name: name)
        keep(core, for: accessory, name)
        core.begin()
        return core
    }

    /// Opens the channel of a protocol that the accessory offers and the program may use.
    func openChannel(_ accessory: EAAccessory, protocol name: String) throws(DeviceError) -> any ByteChannel {
        guard let record = accessory.record, record.isConnected else {
            throw DeviceError(
                .notFound,
                "The accessory \"\(accessory.name)\" is not connected: open sessions with connectedAccessories.")
        }
        let description = record.description
        guard description.named(name) != nil else {
            let offered = description.protocols.map(\.name).joined(separator: ", ")
            throw DeviceError(
                .notFound,
                "The accessory \"\(description.name)\" does not offer the protocol \(name), but \(offered.isEmpty ? "none" : offered)."
            )
        }
        if let appProtocols, !appProtocols.contains(name) {
            throw DeviceError(
                .permissionDenied,
                "The protocol \(name) is not among those that this program declares: add it to DEVICE_SERVICES_PROTOCOLS or accessories.protocols."
            )
        }
        return try opening.withLock { _ throws(DeviceError) in
            let key = SessionKey(accessory: description.id, name: name)
            let former = state.withLock { $0.sessions[key]?.core }
            former?.shut()
            return try source.open(description.id, protocol: name)
        }
    }

    func keep(_ core: SessionCore, for accessory: EAAccessory, _ name: String) {
        let key = SessionKey(accessory: accessory.connectionID, name: name)
        state.withLock { state in
            state.sessions = state.sessions.filter { $0.value.core != nil }
            state.sessions[key] = WeakSession(core: core)
        }
    }
}
