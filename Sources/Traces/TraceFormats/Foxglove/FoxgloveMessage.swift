// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import JSONBytes
import NMEAFormat
import SensorFusion
import SystemCalls

/// Messages as JSON, in the schemas of ``FoxgloveSchema``.
enum FoxgloveMessage {
    /// In square metres: variances from here on, of 100 km, are not known.
    static let leastUnknownVariance = 1e10
    /// What is written for one that is not known.
    private static let unknownVariance = 1e12

    /// The altitude of a fix in metres: that above the ellipsoid, as ROS has it, else that above the sea; nil when none is
    /// known.
    static func altitude(_ report: PositionReport) -> (metres: Double, isAboveSea: Bool)? {
        let height = report.altitudeAboveEllipsoid
        if height.isFinite { return (height, false) }
        let altitude = report.altitudeAboveSeaLevel
        return altitude.isFinite ? (altitude, true) : nil
    }

    /// A fix.
    ///
    /// The covariance holds the squares of standard deviations, in metres. Foxglove has no word for "not known" but NaN,
    /// which JSON lacks: an unknown altitude is 0, with a variance that says so. The heading is the course over ground, which is
    /// all that most receivers know.
    ///
    /// - Parameter confidence: that of the report's errors.
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
            writer.member("position_covariance_type", !isKnown ? 0 : deviations.isCircle ? 1 : 2)
            if course.isFinite { writer.member("heading", course) }
            if velocity.sum().isFinite { writer.object("velocity") { point(velocity, &$0) } }
        }
    }

    /// How the device lies in axes that point east, north and up; the heading is magnetic, or began anywhere.
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

    /// A reading of a sensor, in its own axes.
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

/// A reading of a sensor as ``FoxgloveMessage`` writes it.
struct FoxgloveSample {
    var sensor = ""
    var value = SIMD3<Double>(repeating: .nan)

    /// Nil when the message lacks a number.
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
