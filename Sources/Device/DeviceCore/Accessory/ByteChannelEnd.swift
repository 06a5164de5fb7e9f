// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// How a connection to an accessory ended.
public struct ByteChannelEnd: Sendable {
    /// The ways to end.
    public enum Reason: Sendable, Hashable {
        /// This side closed it.
        case closed
        /// The other side closed it, or hung up.
        case hungUp
        /// The accessory was unplugged.
        case detached
        /// Reading or writing failed.
        case failed
    }

    /// The way in which it ended.
    public var reason: Reason
    /// What went wrong, for a connection that failed or lost bytes.
    public var error: DeviceError?
    /// How many bytes had been taken by `write` and were not handed to the system when it ended.
    public var unsentBytes: Int

    /// An end of that kind.
    public init(_ reason: Reason, error: DeviceError? = nil, unsentBytes: Int = 0) {
        self.reason = reason
        self.error = error
        self.unsentBytes = unsentBytes
    }
}
