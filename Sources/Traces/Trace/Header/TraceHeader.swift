// SPDX-License-Identifier: Apache-2.0

public import DeviceCore
import JSONBytes

/// The first line of a trace. It describes the clocks, devices and units of the events.
public struct TraceHeader: Sendable, Hashable {
    /// The time at which a trace starts, according to two clocks. Event times are relative to the start.
    public struct Start: Sendable, Hashable {
        /// The civil time.
        public var wallTime: WallTime
        /// The time since boot.
        public var boot: BootTime

        /// Creates a start time. Both arguments must refer to the same instant.
        public init(wallTime: WallTime, boot: BootTime) {
            self.wallTime = wallTime
            self.boot = boot
        }
    }

    package static let formatName = "device-services-trace"
    /// The version that this module writes. Later versions cannot be read.
    package static let currentVersion = 1

    /// The format version. Compatible additions do not change it.
    public var version = currentVersion
    /// The start of the trace, or nil if the header does not specify it.
    public var start: Start?
    /// The clock used for the event times: "CLOCK_BOOTTIME", or "virtual" for a trace of a simulated device. Empty if
    /// the times are from a different clock, such as a receiver's or another recorder's.
    public var clock = "CLOCK_BOOTTIME"
    /// The devices whose reports are in the trace.
    public var devices: [TraceDevice] = []
    /// The motion sensors. The preferred sensor of each kind comes first. Use ``add(_:)`` to add a sensor together with
    /// the unit of its readings.
    ///
    /// A sensor's `mode` and remarks are not written to the trace. Parsing a header sets `mode` to `recorded` and adds
    /// a remark for each problem with the sensor's members.
    public var sensors: [SensorDescription] = []
    /// The calibrations by sensor ID. They have not been applied to the readings.
    public var calibrations: [SensorDescription.ID: SensorCalibration] = [:]
    /// The libiio contexts of the sensors, in libiio's XML format.
    public var contexts: [String] = []
    /// The units of event values, by quantity. Motion readings always have the same units, which are listed only for
    /// human readers. Values in gpsd reports have gpsd's own units.
    public var units = ["t": "s"]
    /// The battery at the start, or nil if there was no battery.
    public var battery: BatteryReading?
    /// The reference frame in which motion readings are expressed. "sensor" means each sensor's own axes.
    public var frame = "sensor"
    /// The program that recorded the trace.
    public var recorder = ""
    /// The source of the positions, for example gpsd://localhost:2947.
    public var source = ""
    /// The members that are unknown to this version. They are written unchanged.
    package var otherMembers: [TraceMember] = []
    /// Warnings about header members that were ignored.
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
    /// The value of `units["eph"]` in a trace whose horizontal accuracies were reported by a phone.
    private static let phoneAccuracy = "m at 68%"

    /// True if the horizontal accuracies have a confidence level of 68 %, as reported by phones. False if the level is
    /// 95 %, as reported by gpsd.
    package var hasPhoneAccuracies: Bool {
        get { units["eph"] == Self.phoneAccuracy }
        set { units["eph"] = newValue ? Self.phoneAccuracy : nil }
    }
}

/// A JSON member that is unknown to this version, kept as raw JSON.
package struct TraceMember: Sendable, Hashable {
    package var name: String
    /// One complete JSON value.
    package var json: [UInt8]

    package init(name: String, json: [UInt8]) {
        self.name = name
        self.json = json
    }
}

extension TraceHeader {
    /// Returns the header as one line of JSON, without a line terminator.
    package func line() -> [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("format", Self.formatName)
            writer.member("version", version)
            if let start {
                writer.object("start") { writer in
                    writer.member("utc", CivilDate(start.wallTime).iso8601(decimals: 9))
                    var seconds: [UInt8] = []
                    TraceSeconds.append(start.boot.nanoseconds, to: &seconds)
                    writer.key("boot")
                    writer.raw(seconds)
                }
            }
            writer.memberUnlessEmpty("clock", clock)
            writer.array("devices") { writer in
                for device in devices { Self.write(device, to: &writer) }
            }
            if !sensors.isEmpty {
                writer.array("sensors") { writer in
                    for sensor in sensors { Self.write(sensor, calibrations[sensor.id], to: &writer) }
                }
            }
            if !contexts.isEmpty { writer.member("contexts", contexts) }
            writer.object("units") { writer in
                for (name, unit) in units.sorted(by: { $0.key < $1.key }) { writer.member(text: name, unit) }
            }
            writer.memberIfPresent("battery", battery)
            writer.memberUnlessEmpty("frame", frame)
            writer.memberUnlessEmpty("recorder", recorder)
            writer.memberUnlessEmpty("source", source)
            Self.write(otherMembers, to: &writer)
        }
        return writer.bytes
    }

    private static func write(_ members: [TraceMember], to writer: inout JSONWriter) {
        for member in members {
            writer.key(text: member.name)
            writer.raw(member.json)
        }
    }

    private static func write(_ device: TraceDevice, to writer: inout JSONWriter) {
        let receiver = device.receiver
        writer.object { writer in
            writer.memberUnlessEmpty("kind", device.kind)
            writer.memberUnlessEmpty("path", receiver.path)
            writer.memberUnlessEmpty("driver", receiver.driver)
            writer.memberUnlessEmpty("subtype", receiver.subtype)
            writer.memberUnlessEmpty("subtype1", receiver.subtype1)
            if receiver.bitsPerSecond != 0 { writer.member("bps", receiver.bitsPerSecond) }
            if receiver.cycle.isFinite { writer.member("cycle", receiver.cycle) }
            write(device.otherMembers, to: &writer)
        }
    }
}

/// A device whose reports are in a trace.
public struct TraceDevice: Sendable, Hashable {
    /// The kind of device. "gpsd" means a receiver whose reports come from gpsd. Later versions may add other kinds.
    public var kind: String
    /// The receiver as described by gpsd, or an empty description if the device is of another kind.
    public var receiver: ReceiverDescription
    /// The members that are unknown to this version.
    package var otherMembers: [TraceMember] = []

    /// Creates the description of a receiver that gpsd reads.
    public init(_ receiver: ReceiverDescription) {
        kind = "gpsd"
        self.receiver = receiver
    }

    init(kind: String) {
        self.kind = kind
        receiver = ReceiverDescription()
    }

    /// True if both values describe the same device. Treats two `cycle` values of NaN as equal.
    public static func == (left: TraceDevice, right: TraceDevice) -> Bool {
        var (receiver, otherReceiver) = (left.receiver, right.receiver)
        if receiver.cycle.isNaN, otherReceiver.cycle.isNaN { (receiver.cycle, otherReceiver.cycle) = (0, 0) }
        return left.kind == right.kind && receiver == otherReceiver && left.otherMembers == right.otherMembers
    }

    /// `cycle` is not hashed, because it may be NaN.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(kind)
        hasher.combine(receiver.path)
        hasher.combine(otherMembers)
    }
}
