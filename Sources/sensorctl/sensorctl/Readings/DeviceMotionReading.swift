// SPDX-License-Identifier: Apache-2.0

import Foundation
import JSONBytes
import SensorTools

struct DeviceMotionReading: TimedReading {
    /// What the engine knows beyond Core Motion's words.
    struct Condition {
        /// Radians per second that have been taken from the gyroscope; nil without one.
        var bias: SIMD3<Double>?
        var isResting = false
        var isDisturbed = false
    }

    var timestamp: Double
    /// x, y, z, w: from the device's axes to the frame's.
    var quaternion: SIMD4<Double>
    /// In g, pointing down.
    var gravity: SIMD3<Double>
    var userAcceleration = SIMD3<Double>.zero
    /// Radians a second.
    var rotationRate = SIMD3<Double>.zero
    /// Microtesla.
    var magneticField = SIMD3<Double>.zero
    /// From -1, uncalibrated, to 2.
    var magneticAccuracy: Int32 = -1
    /// Degrees; negative where the frame has no north.
    var heading = -1.0
    /// The attitude's angles in radians.
    var roll = 0.0
    var pitch = 0.0
    var yaw = 0.0
    var frame = FrameName.arbitrary
    /// Nil where nobody has asked.
    var condition: Condition?

    var callback: String { "deviceMotion" }

    func writeValues(to writer: inout JSONWriter) {
        // One by one: there may be hundreds a second.
        writer.array("quaternion") { for index in 0..<4 { $0.double(quaternion[index]) } }
        writer.member("gravity", gravity)
        writer.member("userAcceleration", userAcceleration)
        writer.member("rotationRate", rotationRate)
        writer.member("magneticField", magneticField)
        writer.member("magneticAccuracy", magneticAccuracy)
        writer.member("heading", heading)
    }

    func columns(_ ink: Ink) -> [String] {
        let angles = [("roll", roll), ("pitch", pitch), ("yaw", yaw)].map { name, angle in
            "\(ink.dim(name)) \(ink.bold(String(format: "%6.1f°", angle * 180 / .pi)))"
        }
        let user = String(format: "%6.3f %6.3f %6.3f g", userAcceleration.x, userAcceleration.y, userAcceleration.z)
        let columns = angles + ["\(ink.dim("user")) \(user)"]
        return frame.hasHeading ? columns + ["\(ink.dim("heading")) \(HeadingReading.degrees(heading))"] : columns
    }
}
