// SPDX-License-Identifier: Apache-2.0

public import DeviceCore

/// The first line of a trace. It describes the clocks, devices and units of the events.
public struct TraceHeader: Sendable, Hashable {
    /// The start of a trace: the same instant on two clocks. Event times are relative to it.
    public struct Start: Sendable, Hashable {
        /// The civil time.
        public var wallTime: WallTime
        /// The time since boot.
        public var boot: BootTime

        /// Creates a start from the same instant on both clocks.
        public init(wallTime: WallTime, boot: BootTime) {
            self.wallTime = wallTime
            self.boot = boot
        }
    }

    /// The format name in every header.
    package static let formatName = "device-services-trace"
    /// The version that is written, and the highest version that can be read.
    package static let currentVersion = 1

    /// The format version. Compatible additions do not change it.
    public var version = currentVersion
    /// The start of the trace; nil if the header does not contain it.
    public var start: Start?
    /// The clock of the event times: "CLOCK_BOOTTIME", or "virtual" for a trace of a simulated device.
    public var clock = "CLOCK_BOOTTIME"
    /// The devices whose reports are in the trace, as far as they were known at the start.
    public var devices: [TraceDevice] = []
    /// The motion sensors of the trace, the preferred sensor of each kind first. ``add(_:)`` also sets the units of
    /// their readings.
    ///
    /// The `mode` of a sensor is not written, and is `recorded` in a parsed header. Remarks are not written either; in
    /// a parsed header, they describe members that could not be used.
    public var sensors: [SensorDescription] = []
    /// The calibrations of the sensors, by sensor id. They are not applied to the readings in the trace, which are
    /// uncorrected.
    public var calibrations: [SensorDescription.ID: SensorCalibration] = [:]
    /// The contexts of the sensors, as libiio's context XML.
    public var contexts: [String] = []
    /// The units of values in events, by quantity. They apply neither to gpsd's reports, which use gpsd's units, nor to
    /// motion readings, which use the unit of their `SensorKind`.
    public var units = ["t": "s"]
    /// The battery at the start; nil if there was none.
    public var battery: BatteryReading?
    /// The frame of motion readings: "sensor", the sensor's own axes before its mount matrix is applied.
    public var frame = "sensor"
    /// The program that recorded the trace.
    public var recorder = ""
    /// The source of the positions, for example gpsd://localhost:2947.
    public var source = ""
    /// Members that this version does not know; they are written back unchanged.
    package var otherMembers: [TraceMember] = []
    /// Warnings about members of the header line that could not be used. They are not written.
    package var warnings: [TraceWarning] = []

    /// Creates a header of the current version.
    public init(start: Start? = nil) { self.start = start }

    /// Adds a sensor and the unit of its readings.
    public mutating func add(_ sensor: SensorDescription) {
        sensors.append(sensor)
        units[sensor.kind.rawValue] = sensor.kind.unit
    }
}

extension TraceHeader {
    /// The unit of `eph` if the accuracies are those of a phone.
    private static let phoneAccuracy = "m at 68%"

    /// True if horizontal accuracies are a phone's 68 % radii. Those of gpsd are 95 % radii.
    package var hasPhoneAccuracies: Bool {
        get { units["eph"] == Self.phoneAccuracy }
        set { units["eph"] = newValue ? Self.phoneAccuracy : nil }
    }
}

/// A member of a JSON object that this version does not know, kept as raw JSON.
package struct TraceMember: Sendable, Hashable {
    /// The key.
    package var name: String
    /// The value: one complete JSON value.
    package var json: [UInt8]

    /// Creates a member. The value is not validated.
    package init(name: String, json: [UInt8]) {
        self.name = name
        self.json = json
    }
}
