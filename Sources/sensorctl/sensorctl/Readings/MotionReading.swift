// SPDX-License-Identifier: Apache-2.0

import DeviceSupport
import Foundation
import JSONBytes
import SensorTools

/// A reading from a single sensor, as printed by `watch` and `replay`. Its JSON member names are public API.
struct MotionReading: TimedReading {
    struct Value {
        let name: String
        let number: Double
        let unit: String

        init(_ name: String, _ number: Double, unit: String) {
            (self.name, self.number, self.unit) = (name, number, unit)
        }
    }

    let stream: StreamName
    let timestamp: TimeInterval
    let values: [Value]

    init(stream: StreamName, timestamp: TimeInterval, values: [Value]) {
        (self.stream, self.timestamp, self.values) = (stream, timestamp, values)
    }

    init(stream: StreamName, timestamp: TimeInterval, axes: SIMD3<Double>) {
        self.init(
            stream: stream, timestamp: timestamp,
            values: [("x", axes.x), ("y", axes.y), ("z", axes.z)].map { Value($0, $1, unit: stream.unit) })
    }

    var magnitude: Double? {
        guard stream != .pressure else { return nil }
        return values.reduce(0) { $0 + $1.number * $1.number }.squareRoot()
    }

    var callback: String { stream.rawValue }

    func writeValues(to writer: inout JSONWriter) {
        for value in values { writer.member(text: value.name, value.number) }
    }

    func columns(_ ink: TerminalStyle) -> [String] {
        let numbers = values.map { value in
            let name = value.name.count > 1 ? value.name + " " : value.name
            return "\(ink.dim(name)) \(ink.bold(String(format: "%9.4f", value.number)))"
        }
        let last =
            magnitude.map { String(format: "| %8.4f %@", $0, stream.unit) }
            ?? values.map(\.unit).joined(separator: ", ")
        return numbers + [ink.dim(last)]
    }
}

struct OrientationReading: TimedReading {
    let orientation: UIDeviceOrientation
    let timestamp: Double

    var callback: String { StreamName.orientation.rawValue }
    func writeValues(to writer: inout JSONWriter) { writer.member("orientation", "\(orientation)") }
    func columns(_ ink: TerminalStyle) -> [String] { [ink.bold("\(orientation)")] }
}

struct DeviceMotionReading: TimedReading {
    /// The state of the fusion filter, which Core Motion does not provide.
    struct Condition {
        /// The gyroscope bias that was subtracted, in radians per second, or nil if no bias was subtracted.
        var bias: SIMD3<Double>?
        var isResting = false
        var isDisturbed = false
    }

    var timestamp: Double
    /// The rotation from the device's axes to those of the reference frame, as a quaternion in the order x, y, z, w.
    var quaternion: SIMD4<Double>
    /// The gravity vector, which points down, in g.
    var gravity: SIMD3<Double>
    var userAcceleration = SIMD3<Double>.zero
    /// The rotation rate in radians per second.
    var rotationRate = SIMD3<Double>.zero
    /// The magnetic field in microteslas.
    var magneticField = SIMD3<Double>.zero
    /// The calibration accuracy, from -1 (uncalibrated) to 2 (high).
    var magneticAccuracy: Int32 = -1
    /// The heading in degrees, or a negative value if the reference frame is not aligned with north.
    var heading = -1.0
    /// The attitude angles, in radians.
    var roll = 0.0
    var pitch = 0.0
    var yaw = 0.0
    var frame = FrameName.arbitrary
    var condition: Condition?

    var callback: String { "deviceMotion" }

    func writeValues(to writer: inout JSONWriter) {
        // Writes the values without intermediate arrays, which would be expensive at hundreds of readings per second.
        writer.array("quaternion") { for index in 0..<4 { $0.double(quaternion[index]) } }
        writer.member("gravity", gravity)
        writer.member("userAcceleration", userAcceleration)
        writer.member("rotationRate", rotationRate)
        writer.member("magneticField", magneticField)
        writer.member("magneticAccuracy", magneticAccuracy)
        writer.member("heading", heading)
    }

    func columns(_ ink: TerminalStyle) -> [String] {
        let angles = [("roll", roll), ("pitch", pitch), ("yaw", yaw)].map { name, angle in
            "\(ink.dim(name)) \(ink.bold(String(format: "%6.1f°", angle * 180 / .pi)))"
        }
        let user = String(format: "%6.3f %6.3f %6.3f g", userAcceleration.x, userAcceleration.y, userAcceleration.z)
        let columns = angles + ["\(ink.dim("user")) \(user)"]
        return frame.hasHeading ? columns + ["\(ink.dim("heading")) \(HeadingReading.degrees(heading))"] : columns
    }
}
