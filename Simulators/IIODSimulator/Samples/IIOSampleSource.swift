// SPDX-License-Identifier: Apache-2.0

public import DeviceCore
public import IIOFormat

/// A source of the samples that a simulated iiod serves.
///
/// The server calls ``signals(for:)`` once per device during initialization. All devices share one timeline, so that an
/// accelerometer and a gyroscope in separate devices stay synchronized.
public protocol IIOSampleSource: Sendable {
    /// Returns the signals of a device, in the units of the Linux IIO documentation and in the sensor's own axes.
    func signals(for device: IIODevice) -> IIODeviceSignals
}

/// The signals of a device's channels and the times of its samples.
public struct IIODeviceSignals: Sendable {
    /// The signals by channel id, such as "accel_x". A channel without a signal keeps the value of its `raw` attribute.
    public var channels: [String: IIOSignal]
    /// The sample times in nanoseconds since the start of the trace, in ascending order; nil to use the device's
    /// sampling rate.
    public var times: [Int64]?
    /// The duration of one pass in nanoseconds since the start of the trace; nil if the pass never ends.
    public var duration: Int64?

    /// Creates signals.
    public init(channels: [String: IIOSignal] = [:], times: [Int64]? = nil, duration: Int64? = nil) {
        self.channels = channels
        self.times = times
        self.duration = duration
    }
}

/// The signal of a channel over time, in its physical unit: (raw + offset) × scale.
public enum IIOSignal: Sendable {
    /// A constant value.
    case constant(Double)
    /// One component of recorded vectors. Each vector holds until the time of the next; the first also holds before its
    /// own time.
    ///
    /// There is one time per vector, in nanoseconds since the start of the trace, in ascending order.
    case held(times: [Int64], vectors: [SIMD3<Double>], component: Int)
}

/// A source for devices at rest: constant readings at the rate that the client sets.
public struct IIORestSource: IIOSampleSource {
    private var signals: [String: IIOSignal] = [:]

    /// Creates a source from readings by kind, in the unit of the kind and in the sensor's axes. For example, the
    /// accelerometer axis that points up reads 9.80665. Channels of other kinds keep the values of their `raw`
    /// attributes.
    public init(_ readings: [SensorKind: SIMD3<Double>] = [:]) {
        for (kind, reading) in readings {
            for (component, id) in kind.channelIDs.enumerated() { signals[id] = .constant(reading[component]) }
        }
    }

    /// Creates a source from readings by channel id.
    public init(channels: [String: Double]) { signals = channels.mapValues { .constant($0) } }

    /// Returns the same signals for every device.
    public func signals(for device: IIODevice) -> IIODeviceSignals { IIODeviceSignals(channels: signals) }
}
