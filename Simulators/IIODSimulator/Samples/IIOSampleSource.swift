// SPDX-License-Identifier: Apache-2.0

public import DeviceCore
public import IIOFormat

/// Says what the devices of a simulated iiod measure.
///
/// The server asks once for each device, when it is made. All devices share one time line, so that an accelerometer and a
/// gyroscope that are two devices stay in step.
public protocol IIOSampleSource: Sendable {
    /// The signals of a device, in the units of the Linux IIO documentation and in the sensor's own axes.
    func signals(for device: IIODevice) -> IIODeviceSignals
}

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

/// What a channel measures over time, in its physical unit: what (raw + offset) × scale gives.
public enum IIOSignal: Sendable {
    /// Always the same.
    case constant(Double)
    /// One component of recorded vectors; each holds until the next, the first also before its time.
    ///
    /// Times are nanoseconds since the start of the trace, rising, one for each vector.
    case held(times: [Int64], vectors: [SIMD3<Double>], component: Int)
}

/// Devices at rest: the same readings for ever, at the rate that the client sets.
public struct IIORestSource: IIOSampleSource {
    private var signals: [String: IIOSignal] = [:]

    /// Readings by kind, in the kind's unit and in the sensor's axes: for example 9.80665 on the accelerometer axis that
    /// points up. Kinds that are left out keep what their raw attributes say.
    public init(_ readings: [SensorKind: SIMD3<Double>] = [:]) {
        for (kind, reading) in readings {
            for (component, id) in kind.channelIDs.enumerated() { signals[id] = .constant(reading[component]) }
        }
    }

    /// Readings by channel id.
    public init(channels: [String: Double]) { signals = channels.mapValues { .constant($0) } }

    /// The same for every device.
    public func signals(for device: IIODevice) -> IIODeviceSignals { IIODeviceSignals(channels: signals) }
}
