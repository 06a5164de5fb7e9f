// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Synchronization

/// Methods that open sessions. Any thread may call them. An `OpeningLock` is taken before `state`.
extension AccessoryClient {
    func open(_ accessory: EAAccessory, protocol name: String) throws(DeviceError) -> SessionCore {
        guard let device else { throw EASession.notConnected(accessory) }
        let core = try open(accessory, protocol: name) { channel in
            SessionCore(channel: channel, device: device, accessory: accessory, name: name)
        }
        core.startObserving()
        return core
    }

    /// Opens the channel of a protocol that the accessory offers and the app has declared.
    ///
    /// - Parameters:
    ///   - takesOver: If true, closes any existing session with the protocol. If false, throws an error if such a
    ///     session is in use.
    ///   - use: A closure that returns the session core for the new channel.
    func open(
        _ accessory: EAAccessory, protocol name: String, takesOver: Bool = true, use: (any ByteChannel) -> SessionCore
    ) throws(DeviceError) -> SessionCore {
        guard let record = accessory.record, record.isConnected else { throw EASession.notConnected(accessory) }
        let description = record.description
        guard description.accessoryProtocol(named: name) != nil else {
            let offered = description.protocols.map(\.name).joined(separator: ", ")
            throw DeviceError(
                .notFound,
                "The accessory \"\(description.name)\" does not offer the protocol \(name). Available: \(offered.isEmpty ? "none" : offered)."
            )
        }
        if let appProtocols, !appProtocols.contains(name) {
            throw DeviceError(
                .permissionDenied,
                "This program does not declare the protocol \(name). Add it to DEVICE_SERVICES_PROTOCOLS or accessories.protocols."
            )
        }
        let key = SessionKey(accessory: description.id, name: name)
        return try openingLock(for: key).lock.withLock { _ throws(DeviceError) in
            let former = state.withLock { $0.sessions[key]?.core }
            if !takesOver, let former, former.isInUse {
                throw DeviceError(.busy, "Another session of this program uses the protocol \(name).")
            }
            former?.closeStreams()
            let core = use(try source.open(description.id, protocol: name))
            register(core, for: key)
            return core
        }
    }

    private func openingLock(for key: SessionKey) -> OpeningLock {
        state.withLock { state in
            let lock = state.openingLocks[key] ?? OpeningLock()
            state.openingLocks[key] = lock
            return lock
        }
    }

    private func register(_ core: SessionCore, for key: SessionKey) {
        let cores = state.withLock { state in
            let cores = state.sessions.mapValues { $0.core }
            state.sessions = state.sessions.filter { key, _ in cores[key].flatMap { $0 } != nil }
            state.sessions[key] = SessionCore.Weak(core: core)
            return cores
        }
        // Keeps the session cores alive until the lock has been released, because releasing a core closes its channel.
        withExtendedLifetime(cores) {}
    }
}

extension EAAccessory {
    /// The client of the device that the accessory is attached to, or `nil` if the device has been released.
    var client: AccessoryClient? { record?.device?.component(AccessoryClient.self, make: AccessoryClient.init) }
}
