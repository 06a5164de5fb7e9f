// This source file is part of the swift-device-services project.
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

    /// Has both streams tell their events on that queue, which should be serial, and on no run loop; nil to stop that.
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
    /// connection is over, and `CancellationError` when the task is cancelled, with a part of the bytes sent perhaps.
    public nonisolated(nonsending) func write(_ data: Data) async throws {
        guard let core else { throw DeviceError(.notFound, "The session has no accessory.") }
        try await core.writeAll(data)
    }
}
