// SPDX-License-Identifier: Apache-2.0

public import DeviceCore
public import Dispatch
public import Foundation

/// What Apple's API has no words for.
extension EASession {
    /// Opens a session with an accessory, or says why not.
    public convenience init(opening accessory: EAAccessory, protocol name: String) throws(DeviceError) {
        self.init(core: try EASession.open(accessory, name))
    }

    /// Delivers the events of both streams on that queue, which should be serial, and on no run loop; nil to stop that.
    public func setEventQueue(_ queue: DispatchQueue?) {
        core?.setQueue(queue)
    }

    /// What the accessory sends, piece by piece as it comes in; ends when the accessory is gone, and throws a
    /// `DeviceError` when reading fails.
    ///
    /// Needs no run loop and opens the stream by itself. Use this or the stream, not both: a byte is read once.
    public var bytes: AccessoryBytes { AccessoryBytes(core: core) }

    /// Hands all of the bytes over to be sent; waits while there is no space for them.
    ///
    /// Needs no run loop and opens the stream by itself. Two writes at once do not mix. Throws a `DeviceError` when the
    /// connection is over, and `CancellationError` when the task is cancelled; some bytes may have been sent.
    public nonisolated(nonsending) func write(_ data: Data) async throws {
        guard let core else { throw DeviceError(.notFound, "The session has no accessory.") }
        try await core.writeAll(data)
    }

    /// What becomes of the connection of a session that follows its accessory.
    public enum Connection: Sendable {
        /// The accessory is away; that many written bytes were lost with it.
        case paused(unsentBytes: Int)
        /// It is connected again, as this object.
        case resumed(EAAccessory)
        /// It is connected again and the protocol cannot be opened; the next connection is tried again.
        case failed(DeviceError)
    }

    /// Opens a session that survives unplugging: it goes on when an accessory of the same `identity` that offers the
    /// protocol is connected again.
    ///
    /// Its streams do not end. What had come in can still be read; while the accessory is away there are no new bytes
    /// and no space to write. A program that has to begin its dialogue anew does so when it is told of the new
    /// connection, through `changed`, on the main thread. A session that the program itself opens for the new connection
    /// takes precedence.
    public convenience init(
        following accessory: EAAccessory, protocol name: String,
        changed: @escaping @Sendable (Connection) -> Void = { _ in }
    ) throws(DeviceError) {
        guard let client = accessory.client else { throw EASession.notConnected(accessory) }
        self.init(core: try client.follow(accessory, protocol: name, changed: changed))
    }
}
