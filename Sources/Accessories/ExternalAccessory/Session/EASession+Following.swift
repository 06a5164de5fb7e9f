// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

public import DeviceCore

extension EASession {
    /// What becomes of the connection of a session that follows its accessory.
    public enum Connection: Sendable {
        /// The accessory is away; so many bytes that had been written were lost with it.
        case paused(unsentBytes: Int)
        /// It is connected again, as this object.
        case resumed(EAAccessory)
        /// It is connected again and the protocol cannot be opened; the next connection is tried again.
        case failed(DeviceError)
    }

    /// Opens a session that survives unplugging: it goes on when an accessory of the same `identity` that offers the
    /// protocol is connected again.
    ///
    /// Its streams do not end. What had come in is still read; while the accessory is away there are no bytes and no space
    /// for any. Where a program has to begin its dialogue anew, it does so when it is told of the new connection. A
    /// session that the program opens itself for the new connection goes before this one.
    /// - Parameter changed: Told on the main thread.
    public convenience init(
        following accessory: EAAccessory, protocol name: String,
        changed: @escaping @Sendable (Connection) -> Void = { _ in }
    ) throws(DeviceError) {
        guard let client = accessory.record?.client else { throw EASession.notConnected(accessory) }
        self.init(core: try client.follow(accessory, protocol: name, changed: changed))
    }
}
