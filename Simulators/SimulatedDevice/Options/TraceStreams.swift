// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

public import DeviceCore

/// What is played of a trace. The device has nothing of the rest.
public struct TraceStreams: Sendable, Hashable {
    /// Positions, and all else that a receiver says.
    public var positions: Bool
    /// The kinds of motion sensors.
    public var kinds: Set<SensorKind>
    /// The ids of motion sensors, as far as their kinds are played; nil for all of them.
    public var sensors: Set<SensorDescription.ID>?
    /// The battery.
    public var battery: Bool
    /// Accessories, and what they say.
    public var accessories: Bool
    /// Other names, by the ids of sensors and the paths of receivers in the trace: what a program asks for by a name of its
    /// own machine can then be played from a recording of another one. Lines of gpsd that are handed on as they are keep
    /// theirs. Of two sensors with one name only the first is heard.
    public var names: [String: String] = [:]

    /// Streams of those kinds; nothing that is not named.
    public init(
        positions: Bool = false, kinds: Set<SensorKind> = [], sensors: Set<SensorDescription.ID>? = nil,
        battery: Bool = false, accessories: Bool = false
    ) {
        self.positions = positions
        self.kinds = kinds
        self.sensors = sensors
        self.battery = battery
        self.accessories = accessories
    }

    /// Everything.
    public static let all = TraceStreams(
        positions: true, kinds: Set(SensorKind.allCases), battery: true, accessories: true)

    /// True when that sensor is played.
    public func contains(_ sensor: SensorDescription) -> Bool {
        kinds.contains(sensor.kind) && sensors?.contains(sensor.id) ?? true
    }
}
