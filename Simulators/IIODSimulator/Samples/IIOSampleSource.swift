// SPDX-License-Identifier: Apache-2.0

public import DeviceCore
public import IIOFormat

/// A source of the samples that a simulated iiod serves.
///
/// All devices share one timeline, so an accelerometer and a gyroscope in separate devices stay synchronized.
public protocol IIOSampleSource: Sendable {
    /// Returns the signals of a device, in the units of Linux IIO and in the sensor's axes. Called once per device.
    func signals(for device: IIODevice) -> IIODeviceSignals
}

/// The signals of a device's channels, and its sample times.
public struct IIODeviceSignals: Sendable {
    /// The signals, keyed by channel ID, such as "accel_x". A channel without a signal keeps the value of its `raw`
    /// attribute.
    public var channels: [String: IIOSignal]
    /// The sample times in nanoseconds since the start of the trace, in ascending order. If nil, samples follow the
    /// device's sampling rate.
    public var times: [Int64]?
    /// The duration of one pass in nanoseconds, or nil if the pass never ends.
    public var duration: Int64?

    /// Creates signals.
    public init(channels: [String: IIOSignal] = [:], times: [Int64]? = nil, duration: Int64? = nil) {
        (self.channels, self.times, self.duration) = (channels, times, duration)
    }
}

/// The signal of a channel over time, in the channel's physical unit: (raw + offset) × scale.
public enum IIOSignal: Sendable {
    /// A constant value.
    case constant(Double)
    /// One component of recorded vectors. Each vector applies until the time of the next one. The first vector also
    /// applies before its own time. The times are in nanoseconds since the start of the trace, in ascending order.
    case held(times: [Int64], vectors: [SIMD3<Double>], component: Int)
}

/// A source of constant readings for devices at rest, at the rate that the client sets.
public struct IIORestSource: IIOSampleSource {
    private var signals: [String: IIOSignal] = [:]

    /// Creates a source of the given readings. Each reading is in the unit of its kind and in the sensor's axes. For
    /// example, the accelerometer axis that points up reads 9.80665.
    public init(_ readings: [SensorKind: SIMD3<Double>] = [:]) {
        for (kind, reading) in readings {
            for (component, id) in kind.channelIDs.enumerated() { signals[id] = .constant(reading[component]) }
        }
    }

    /// Returns the same signals for every device.
    public func signals(for device: IIODevice) -> IIODeviceSignals { IIODeviceSignals(channels: signals) }
}

/// The recorded readings of one sensor.
public struct IIOSampleTrack: Sendable {
    package var kind: SensorKind
    /// The id, label or name of the device to which the readings belong, or nil for any device with matching channels.
    package var device: String?
    /// The measurement times in nanoseconds since the start of the trace, in ascending order.
    package private(set) var times: [Int64]
    /// The readings at `times`, in the unit of the kind, before the mount matrix is applied. A scalar is stored in the
    /// first component.
    package private(set) var values: [SIMD3<Double>]

    /// Creates a track. Readings that have no time or are not newer than the preceding reading are dropped.
    public init(kind: SensorKind, device: String? = nil, times: [Int64], values: [SIMD3<Double>]) {
        (self.kind, self.device, self.times, self.values) = (kind, device, [], [])
        self.times.reserveCapacity(min(times.count, values.count))
        self.values.reserveCapacity(min(times.count, values.count))
        for (time, value) in zip(times, values) where self.times.last.map({ time > $0 }) ?? true {
            self.times.append(time)
            self.values.append(value)
        }
    }

    /// The time of the last reading plus the mean interval, in nanoseconds, or 0 if the track is empty.
    package var end: Int64 {
        guard let first = times.first, let last = times.last else { return 0 }
        return last.addingSaturated(max(1, last.subtractingSaturated(first) / Int64(max(1, times.count - 1))))
    }
}

/// A source of recorded samples.
public struct IIORecordedSource: IIOSampleSource {
    /// The timing of sample delivery.
    public enum DeliveryTiming: Sendable {
        /// Samples are delivered at their measurement times. If a device has several sensors, the sensor with the most
        /// readings determines the times, and the others repeat their last readings.
        case recordedTimes
        /// Samples are delivered at the rate that the client sets. Each sample repeats the most recent reading.
        case deviceRate
    }

    private let tracks: [IIOSampleTrack]
    private let release: DeliveryTiming
    private let duration: Int64

    /// Creates a source from tracks with a common start time.
    ///
    /// - Parameters:
    ///   - tracks: The recorded readings, one track per sensor.
    ///   - release: The timing of sample delivery.
    ///   - duration: The duration of one pass in nanoseconds. By default, a pass ends one mean interval after the last
    ///     reading. A shorter `duration` is ignored.
    public init(_ tracks: [IIOSampleTrack], release: DeliveryTiming = .recordedTimes, duration: Int64? = nil) {
        self.tracks = tracks
        self.release = release
        self.duration = max(duration ?? 0, tracks.map(\.end).max() ?? 0)
    }

    /// Returns the signals of the tracks that belong to the device.
    public func signals(for device: IIODevice) -> IIODeviceSignals {
        var result = IIODeviceSignals(duration: duration)
        var longest: [Int64] = []
        for kind in SensorKind.allCases {
            let named = tracks.first {
                $0.kind == kind && $0.device != nil && [device.id, device.label, device.name].contains($0.device)
            }
            guard let track = named ?? tracks.first(where: { $0.kind == kind && $0.device == nil }),
                !track.times.isEmpty
            else { continue }
            var isUsed = false
            for (component, id) in kind.channelIDs.enumerated() where device.channel(id) != nil {
                result.channels[id] = .held(times: track.times, vectors: track.values, component: component)
                isUsed = true
            }
            if isUsed, track.times.count > longest.count { longest = track.times }
        }
        // A device without recorded readings stays at rest.
        if longest.isEmpty { result.duration = nil }
        if release == .recordedTimes, !longest.isEmpty { result.times = longest }
        return result
    }
}
