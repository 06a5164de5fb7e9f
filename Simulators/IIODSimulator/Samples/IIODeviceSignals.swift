// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// What a device measures: the signals of its channels, and when its samples come.
public struct IIODeviceSignals: Sendable {
    /// The signals by channel id, such as "accel_x". Channels without one keep what their `raw` attribute says.
    public var channels: [String: IIOSignal]
    /// When samples come, in nanoseconds since the start of the trace, rising; nil for the device's own rate.
    public var times: [Int64]?
    /// How long one pass takes, in nanoseconds, from the start of the trace; nil when it never ends.
    public var duration: Int64?

    /// Signals of those parts.
    public init(channels: [String: IIOSignal] = [:], times: [Int64]? = nil, duration: Int64? = nil) {
        self.channels = channels
        self.times = times
        self.duration = duration
    }
}
