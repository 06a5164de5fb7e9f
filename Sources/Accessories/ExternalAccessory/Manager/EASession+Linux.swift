// SPDX-License-Identifier: Apache-2.0

public import DeviceCore
public import Dispatch
public import Foundation

/// Additions to Apple's API.
extension EASession {
    /// Opens a session with an accessory, or throws the reason why it cannot be opened.
    public convenience init(opening accessory: EAAccessory, protocol name: String) throws(DeviceError) {
        self.init(core: try EASession.open(accessory, name))
    }

    /// Delivers the events of both streams on a dispatch queue, which should be serial, instead of run loops. nil stops
    /// the delivery on the queue.
    public func setEventQueue(_ queue: DispatchQueue?) {
        core?.setQueue(queue)
    }

    /// The data that the accessory sends, as an asynchronous sequence of chunks. Ends when the accessory is
    /// disconnected, and throws a `DeviceError` if reading fails.
    ///
    /// Requires no run loop and opens the stream. Use either this property or the input stream, because each byte is
    /// delivered only once.
    public var bytes: AccessoryBytes { AccessoryBytes(core: core) }

    /// Writes all bytes; suspends while no space is available.
    ///
    /// Requires no run loop and opens the stream. The data of concurrent writes is not interleaved. Throws a
    /// `DeviceError` if the connection has ended and `CancellationError` if the task is cancelled; some bytes may have
    /// been sent in both cases.
    public nonisolated(nonsending) func write(_ data: Data) async throws {
        guard let core else { throw DeviceError(.notFound, "The session has no accessory.") }
        try await core.writeAll(data)
    }

    /// A change in the connection of a session that follows its accessory.
    public enum Connection: Sendable {
        /// The accessory was disconnected; `unsentBytes` written bytes were lost.
        case paused(unsentBytes: Int)
        /// The accessory was reconnected, as the new `EAAccessory`.
        case resumed(EAAccessory)
        /// The accessory was reconnected, but the protocol could not be opened. The session tries again at the next
        /// connection.
        case failed(DeviceError)
    }

    /// Opens a session that survives a disconnection. It resumes when an accessory with the same `identity` that offers
    /// the protocol is connected.
    ///
    /// The streams do not end. While the accessory is disconnected, bytes received before can still be read, no new
    /// bytes arrive and there is no space to write. An app that has to restart its dialogue does so when `changed`
    /// reports the new connection. A session that the app itself opens for the new connection takes precedence.
    ///
    /// - Parameter changed: Called on the main thread.
    public convenience init(
        following accessory: EAAccessory, protocol name: String,
        changed: @escaping @Sendable (Connection) -> Void = { _ in }
    ) throws(DeviceError) {
        guard let client = accessory.client else { throw EASession.notConnected(accessory) }
        self.init(core: try client.follow(accessory, protocol: name, changed: changed))
    }
}
