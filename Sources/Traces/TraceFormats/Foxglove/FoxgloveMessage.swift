// This source file is part of the swift-device-services project.
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
        var writer = begin(time)
        writer.key("frame_id")
        writer.string(report.receiver.isEmpty ? "gps" : report.receiver)
        writer.key("latitude")
        writer.double(report.latitude)
        writer.key("longitude")
        writer.double(report.longitude)
        writer.key("altitude")
        let altitude = Self.altitude(report)
        writer.double(altitude?.metres ?? 0)
        let deviations = PositionDeviations(report, confidence)
        let isKnown = !deviations.east.isNaN && !deviations.north.isNaN
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
        writer.key("position_covariance")
        writer.beginArray()
        for variance in variances { writer.double(variance) }
        writer.endArray()
        writer.key("position_covariance_type")
        writer.int(!isKnown ? 0 : deviations.isCircle ? 1 : 2)
        if report.track.isFinite {
            writer.key("heading")
            writer.double(report.track * .pi / 180)
        }
        let course = report.track * .pi / 180
        let velocity = [report.speed * sin(course), report.speed * cos(course), report.climb]
        if velocity.allSatisfy(\.isFinite) {
            writer.key("velocity")
            writer.beginObject()
            for (key, value) in zip(["x", "y", "z"], velocity) {
                writer.key(text: key)
                writer.double(value)
            }
            writer.endObject()
        }
        writer.endObject()
        return writer.bytes
    }

    /// How the device lies in axes that point east, north and up; the heading is magnetic, or began anywhere.
    static func transform(_ attitude: Quaternion, parent: String, at time: UInt64) -> [UInt8] {
        var writer = begin(time)
        writer.key("parent_frame_id")
        writer.string(parent)
        writer.key("child_frame_id")
        writer.string("device")
        writer.key("translation")
        writer.beginObject()
        for key in ["x", "y", "z"] {
            writer.key(text: key)
            writer.int(0)
        }
        writer.endObject()
        writer.key("rotation")
        writer.beginObject()
        for (key, value) in [("x", attitude.x), ("y", attitude.y), ("z", attitude.z), ("w", attitude.w)] {
            writer.key(text: key)
            writer.double(value)
        }
        writer.endObject()
        writer.endObject()
        return writer.bytes
    }

    /// A reading of a sensor, in its own axes.
    static func sample(
        _ value: SIMD3<Double>, kind: SensorKind, sensor: SensorDescription.ID, at time: UInt64
    ) -> [UInt8] {
        var writer = begin(time)
        writer.key("frame_id")
        writer.string(sensor)
        if kind.isVector {
            for (key, number) in [("x", value.x), ("y", value.y), ("z", value.z)] {
                writer.key(text: key)
                writer.double(number)
            }
        } else {
            writer.key("value")
            writer.double(value.x)
        }
        writer.endObject()
        return writer.bytes
    }

    private static func begin(_ time: UInt64) -> JSONWriter {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("timestamp")
        writer.beginObject()
        writer.key("sec")
        writer.int(Int64(clamping: time / 1_000_000_000))
        writer.key("nsec")
        writer.int(Int64(clamping: time % 1_000_000_000))
        writer.endObject()
        return writer
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
            guard try reader.peekKind() == .object else { return nil }
            try reader.beginObject()
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
