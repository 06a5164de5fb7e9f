// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import JSONBytes
import NMEAFormat
import SensorFusion
import SystemCalls

/// Encodes messages as JSON according to the schemas of ``FoxgloveSchema``.
enum FoxgloveMessage {
    /// The smallest variance, in m², that marks a value as unknown: (100 km)².
    static let minimumUnknownVariance = 1e10
    private static let unknownVariance = 1e12

    /// Returns the height above the ellipsoid, which ROS expects, or the altitude above mean sea level if the height is
    /// unknown. Returns nil if both are unknown.
    static func altitude(_ report: PositionReport) -> (metres: Double, isAboveSea: Bool)? {
        let height = report.altitudeAboveEllipsoid
        if height.isFinite { return (height, false) }
        let altitude = report.altitudeAboveSeaLevel
        return altitude.isFinite ? (altitude, true) : nil
    }

    /// Encodes a fix as `foxglove.LocationFix`. `time` is in nanoseconds since 1970.
    ///
    /// Foxglove can mark a value as unknown only with NaN, which JSON does not support. Therefore, an unknown altitude
    /// is written as 0, with a variance of 1e12 m². The heading is the course over ground, because most receivers do
    /// not measure the heading.
    static func location(
        _ report: PositionReport, _ confidence: PositionDeviations.Confidence, at time: UInt64
    ) -> [UInt8] {
        let deviations = PositionDeviations(report, confidence)
        let isKnown = !deviations.east.isNaN && !deviations.north.isNaN
        let altitude = Self.altitude(report)
        var variances = [0, 0, 0, 0, 0, 0, 0, 0, 0.0]
        if isKnown {
            variances[0] = min(deviations.east * deviations.east, unknownVariance)
            variances[4] = min(deviations.north * deviations.north, unknownVariance)
        }
        if altitude == nil || (isKnown && deviations.up.isNaN) {
            variances[8] = unknownVariance
        } else if isKnown {
            variances[8] = min(deviations.up * deviations.up, unknownVariance)
        }
        let course = report.track * .pi / 180
        let velocity = SIMD3(report.speed * sin(course), report.speed * cos(course), report.climb)
        return message(time) { writer in
            writer.member("frame_id", report.receiver.isEmpty ? "gps" : report.receiver)
            writer.member("latitude", report.latitude)
            writer.member("longitude", report.longitude)
            writer.member("altitude", altitude?.metres ?? 0)
            writer.member("position_covariance", variances)
            writer.member("position_covariance_type", !isKnown ? 0 : deviations.isIsotropic ? 1 : 2)
            if course.isFinite { writer.member("heading", course) }
            if velocity.sum().isFinite { writer.object("velocity") { point(velocity, &$0) } }
        }
    }

    /// Encodes the device's attitude in an east-north-up frame. Without a magnetometer, the direction of north is
    /// arbitrary.
    static func transform(_ attitude: Quaternion, parent: String, at time: UInt64) -> [UInt8] {
        message(time) { writer in
            writer.member("parent_frame_id", parent)
            writer.member("child_frame_id", "device")
            writer.object("translation") { writer in
                for key in ["x", "y", "z"] { writer.member(text: key, 0) }
            }
            writer.object("rotation") { writer in
                point(SIMD3(attitude.x, attitude.y, attitude.z), &writer)
                writer.member("w", attitude.w)
            }
        }
    }

    static func sample(
        _ value: SIMD3<Double>, kind: SensorKind, sensor: SensorDescription.ID, at time: UInt64
    ) -> [UInt8] {
        message(time) { writer in
            writer.member("frame_id", sensor)
            if kind.isVector { point(value, &writer) } else { writer.member("value", value.x) }
        }
    }

    private static func point(_ value: SIMD3<Double>, _ writer: inout JSONWriter) {
        writer.member("x", value.x)
        writer.member("y", value.y)
        writer.member("z", value.z)
    }

    private static func message(_ time: UInt64, _ body: (inout JSONWriter) -> Void) -> [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.object("timestamp") { writer in
                writer.member("sec", Int64(clamping: time / 1_000_000_000))
                writer.member("nsec", Int64(clamping: time % 1_000_000_000))
            }
            body(&writer)
        }
        return writer.bytes
    }
}

/// A sensor reading in the JSON encoding of ``FoxgloveMessage``.
struct FoxgloveSample {
    var sensor = ""
    var value = SIMD3<Double>(repeating: .nan)

    init?(_ json: UnsafeRawBufferPointer, kind: SensorKind) {
        var reader = JSONReader(json)
        do throws(JSONError) {
            guard try reader.beginObjectIfPresent() else { return nil }
            while let key = try reader.nextKey() {
                switch key.string() {
                case "frame_id": sensor = try reader.textIfPresent()?.string() ?? ""
                case "x": value.x = try reader.doubleIfPresent()
                case "y": value.y = try reader.doubleIfPresent()
                case "z": value.z = try reader.doubleIfPresent()
                case "value": value = SIMD3(try reader.doubleIfPresent(), 0, 0)
                default: try reader.skipValue()
                }
            }
        } catch {
            return nil
        }
        if sensor.isEmpty { sensor = kind.rawValue }
        guard value.x.isFinite, value.y.isFinite, value.z.isFinite else { return nil }
    }
}

/// JSON Schemas of the messages, for Foxglove and other MCAP viewers.
///
/// Foxglove recognizes `foxglove.LocationFix` and `foxglove.FrameTransform` by name. As of 2026, it has no schemas for
/// readings of inertial sensors, magnetometers and barometers, so this project defines one for vectors and one for
/// scalars. The names must not change, because existing files contain them and the import relies on them.
enum FoxgloveSchema {
    static let locationFixName = "foxglove.LocationFix"
    static let frameTransformName = "foxglove.FrameTransform"
    static let vectorName = "device_services.Vector"
    static let scalarName = "device_services.Scalar"
    static let gpsdName = "gpsd.Report"
    /// The schema of trace lines that are neither reports nor readings.
    static let eventName = "device_services.Event"

    static let all = [
        (locationFixName, locationFix), (frameTransformName, frameTransform), (vectorName, vector),
        (scalarName, scalar), (gpsdName, gpsd), (eventName, event),
    ]

    private static let time =
        #""timestamp":{"type":"object","title":"time","properties":{"sec":{"type":"integer","minimum":0},"nsec":{"type":"integer","minimum":0,"maximum":999999999}}}"#
    private static let point =
        #"{"type":"object","properties":{"x":{"type":"number"},"y":{"type":"number"},"z":{"type":"number"}},"required":["x","y","z"]}"#

    static let locationFix =
        #"{"title":"foxglove.LocationFix","type":"object","properties":{\#(time),"frame_id":{"type":"string"},"latitude":{"type":"number"},"longitude":{"type":"number"},"altitude":{"type":"number"},"position_covariance":{"type":"array","items":{"type":"number"},"minItems":9,"maxItems":9},"position_covariance_type":{"title":"foxglove.PositionCovarianceType","oneOf":[{"title":"UNKNOWN","const":0},{"title":"APPROXIMATED","const":1},{"title":"DIAGONAL_KNOWN","const":2},{"title":"KNOWN","const":3}]},"heading":{"type":"number"},"velocity":\#(point)},"required":["timestamp","frame_id","latitude","longitude","altitude","position_covariance","position_covariance_type"]}"#

    static let frameTransform =
        #"{"title":"foxglove.FrameTransform","type":"object","properties":{\#(time),"parent_frame_id":{"type":"string"},"child_frame_id":{"type":"string"},"translation":\#(point),"rotation":{"type":"object","properties":{"x":{"type":"number"},"y":{"type":"number"},"z":{"type":"number"},"w":{"type":"number"}},"required":["x","y","z","w"]}},"required":["timestamp","parent_frame_id","child_frame_id","translation","rotation"]}"#

    static let vector =
        #"{"title":"device_services.Vector","type":"object","properties":{\#(time),"frame_id":{"type":"string"},"x":{"type":"number"},"y":{"type":"number"},"z":{"type":"number"}},"required":["timestamp","frame_id","x","y","z"]}"#

    static let scalar =
        #"{"title":"device_services.Scalar","type":"object","properties":{\#(time),"frame_id":{"type":"string"},"value":{"type":"number"}},"required":["timestamp","frame_id","value"]}"#

    /// The schema of gpsd reports. It lists only the members that are useful in plots.
    static let gpsd: String = {
        let texts = ["class", "device", "time"].map { "\"\($0)\":{\"type\":\"string\"}" }
        let numbers = [
            "mode", "status", "lat", "lon", "altHAE", "altMSL", "speed", "track", "climb", "eph", "epx", "epy", "epv",
            "eps", "epd", "hdop", "vdop", "pdop", "nSat", "uSat", "heading", "pitch", "roll", "yaw",
        ].map { "\"\($0)\":{\"type\":\"number\"}" }
        return
            "{\"title\":\"gpsd.Report\",\"type\":\"object\",\"properties\":{\((texts + numbers).joined(separator: ","))},\"required\":[\"class\"]}"
    }()

    static let event =
        #"{"title":"device_services.Event","type":"object","properties":{"t":{"type":"number"}},"required":["t"]}"#
}
