// SPDX-License-Identifier: Apache-2.0

public import DeviceCore
public import IIOFormat

/// The recorded readings of one sensor.
public struct IIOSampleTrack: Sendable {
    /// What was measured.
    public var kind: SensorKind
    /// The id, label or name of the device that they belong to; nil for every device with such channels.
    public var device: String?
    /// When each was measured, in nanoseconds since the start of the trace.
    public private(set) var times: [Int64]
    /// The readings in the kind's unit, in the sensor's axes, before the mount matrix; a scalar in the first component.
    public private(set) var values: [SIMD3<Double>]

    /// A track of those parts. Readings whose time does not rise, or that have none, are left out.
    public init(kind: SensorKind, device: String? = nil, times: [Int64], values: [SIMD3<Double>]) {
        self.kind = kind
        self.device = device
        self.times = []
        self.values = []
        self.times.reserveCapacity(min(times.count, values.count))
        self.values.reserveCapacity(min(times.count, values.count))
        for (time, value) in zip(times, values) where self.times.last.map({ time > $0 }) ?? true {
            self.times.append(time)
            self.values.append(value)
        }
    }

    /// When the next reading would come after the last one: a mean interval later; 0 without readings.
    package var end: Int64 {
        guard let first = times.first, let last = times.last else { return 0 }
        return last.addingSaturated(max(1, last.subtractingSaturated(first) / Int64(max(1, times.count - 1))))
    }
}

/// Devices that measure what was recorded.
public struct IIORecordedSource: IIOSampleSource {
    /// When samples come.
    public enum Release: Sendable {
        /// When they were measured. A device of several sensors keeps the times of the one with most readings, and holds
        /// the readings of the others.
        case ownTimes
        /// At the rate that the client sets; the last reading holds.
        case deviceRate
    }

    private let tracks: [IIOSampleTrack]
    private let release: Release
    private let duration: Int64

    /// A source of those tracks, which all start at one time.
    /// - Parameters:
    ///   - tracks: The recorded sensors.
    ///   - release: When samples come.
    ///   - duration: How long one pass takes in nanoseconds; nil or too short for the time of the last reading and one
    ///     mean interval.
    public init(_ tracks: [IIOSampleTrack], release: Release = .ownTimes, duration: Int64? = nil) {
        self.tracks = tracks
        self.release = release
        self.duration = max(duration ?? 0, tracks.map(\.end).max() ?? 0)
    }

    /// The signals of the tracks that belong to the device and that it has channels for.
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
        // A device that nothing was recorded of stays at rest.
        if longest.isEmpty { result.duration = nil }
        if release == .ownTimes, !longest.isEmpty { result.times = longest }
        return result
    }
}
