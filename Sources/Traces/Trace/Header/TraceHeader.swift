// SPDX-License-Identifier: Apache-2.0

public import DeviceCore

/// The first line of a trace: which clocks, devices and units its events are in.
public struct TraceHeader: Sendable, Hashable {
    /// One point on both clocks: the instant at which the times of the events are zero.
    public struct Start: Sendable, Hashable {
        /// Civil time.
        public var wallTime: WallTime
        /// Time since boot.
        public var boot: BootTime

        /// The instant that both clocks show.
        public init(wallTime: WallTime, boot: BootTime) {
            self.wallTime = wallTime
            self.boot = boot
        }
    }

    /// The name that a header gives its format.
    public static let formatName = "device-services-trace"
    /// The version that is written, and the highest that is read.
    public static let currentVersion = 1

    /// The format's version. Additions do not change it.
    public var version = currentVersion
    /// When the trace starts; nil when the header does not say.
    public var start: Start?
    /// The clock that times are read from: "CLOCK_BOOTTIME", or "virtual" for a trace of a simulated device.
    public var clock = "CLOCK_BOOTTIME"
    /// The devices whose readings follow, as far as they were known at the start.
    public var devices: [TraceDevice] = []
    /// The motion sensors whose readings follow, the best one of each kind first. ``add(_:)`` notes their units too.
    ///
    /// Their `mode` is not written, and is `recorded` in a header that was read; neither are their remarks, which then
    /// say what could not be read of them.
    public var sensors: [SensorDescription] = []
    /// What is known of the sensors' errors, by the sensors' ids, for those that come to use the readings: they are
    /// recorded as they were measured.
    public var calibrations: [SensorDescription.ID: SensorCalibration] = [:]
    /// What the contexts of sensors said of themselves: libiio's XML.
    public var contexts: [String] = []
    /// The units of the events' values, by quantity. gpsd's reports keep gpsd's own units, and motion readings are in
    /// the unit of their `SensorKind` whatever stands here.
    public var units = ["t": "s"]
    /// The battery at the start; nil when there was none.
    public var battery: BatteryReading?
    /// The axes of motion readings: "sensor", each sensor's own, before its mount matrix.
    public var frame = "sensor"
    /// The program that recorded.
    public var recorder = ""
    /// Where positions came from, for example gpsd://localhost:2947.
    public var source = ""
    /// Members that this version does not know, kept as they are.
    public var otherMembers: [TraceMember] = []
    /// Warnings about members of the header line that could not be used. They are not written.
    package var warnings: [TraceWarning] = []

    /// A header of this version.
    public init(start: Start? = nil) { self.start = start }

    /// Adds a sensor and the unit of its readings.
    public mutating func add(_ sensor: SensorDescription) {
        sensors.append(sensor)
        units[sensor.kind.rawValue] = sensor.kind.unit
    }
}

extension TraceHeader {
    /// The unit of `eph` where a phone told the accuracies.
    private static let phoneAccuracy = "m at 68%"

    /// True when the errors of positions are a phone's radii of 68 per cent. gpsd's are of 95.
    package var hasPhoneAccuracies: Bool {
        get { units["eph"] == Self.phoneAccuracy }
        set { units["eph"] = newValue ? Self.phoneAccuracy : nil }
    }
}

/// A member of a JSON object that this version does not know, kept as it stands.
public struct TraceMember: Sendable, Hashable {
    /// The key.
    public var name: String
    /// The value: one complete JSON value.
    public var json: [UInt8]

    /// A member of those parts; the value is not checked.
    public init(name: String, json: [UInt8]) {
        self.name = name
        self.json = json
    }
}
