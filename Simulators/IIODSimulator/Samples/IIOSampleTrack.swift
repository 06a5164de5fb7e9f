// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

public import DeviceCore

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
}
