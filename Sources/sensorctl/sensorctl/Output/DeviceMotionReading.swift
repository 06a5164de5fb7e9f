// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import CoreMotion
import Foundation
import JSONBytes

/// A device motion, ready to be printed.
struct DeviceMotionReading: FusedReading {
    /// What the engine knows beyond Core Motion's words.
    struct Condition {
        /// Radians per second that have been taken from the gyroscope; nil without one.
        var bias: SIMD3<Double>?
        var isResting = false
        var isDisturbed = false
    }

    static let stream = StreamName.deviceMotion

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

    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("callback")
        writer.string("deviceMotion")
        writer.key("timestamp")
        writer.double(timestamp)
        writer.key("quaternion")
        writer.beginArray()
        for index in 0..<4 { writer.double(quaternion[index]) }
        writer.endArray()
        writer.key("gravity")
        writer.list(gravity)
        writer.key("userAcceleration")
        writer.list(userAcceleration)
        writer.key("rotationRate")
        writer.list(rotationRate)
        writer.key("magneticField")
        writer.list(magneticField)
        writer.key("magneticAccuracy")
        writer.int(magneticAccuracy)
        writer.key("heading")
        writer.double(heading)
        writer.endObject()
    }

    func line(_ ink: Ink) -> String {
        let angles = [("roll", roll), ("pitch", pitch), ("yaw", yaw)].map { name, angle in
            "\(ink.dim(name)) \(ink.bold(String(format: "%6.1f°", angle * 180 / .pi)))"
        }
        let user = String(
            format: "%6.3f %6.3f %6.3f g", userAcceleration.x, userAcceleration.y, userAcceleration.z)
        var columns = [ink.dim(String(format: "%12.3f s", timestamp))] + angles + ["\(ink.dim("user")) \(user)"]
        if frame.hasHeading {
            columns.append(
                "\(ink.dim("heading")) \(HeadingReading.degrees(heading))")
        }
        return columns.joined(separator: "  ")
    }

    func picture(width: Int, height: Int, rate: Double?) -> Canvas {
        AttitudePanel(reading: self, rate: rate).draw(width: width, height: height)
    }
}

extension DeviceMotionReading {
    init(_ motion: CMDeviceMotion, timestamp: Double, frame: FrameName, condition: Condition?) {
        let attitude = motion.attitude
        let q = attitude.quaternion
        let (gravity, user, rate) = (motion.gravity, motion.userAcceleration, motion.rotationRate)
        let field = motion.magneticField
        self.init(
            timestamp: timestamp, quaternion: SIMD4(q.x, q.y, q.z, q.w),
            gravity: SIMD3(gravity.x, gravity.y, gravity.z), userAcceleration: SIMD3(user.x, user.y, user.z),
            rotationRate: SIMD3(rate.x, rate.y, rate.z),
            magneticField: SIMD3(field.field.x, field.field.y, field.field.z),
            magneticAccuracy: field.accuracy.rawValue, heading: motion.heading, roll: attitude.roll,
            pitch: attitude.pitch, yaw: attitude.yaw, frame: frame, condition: condition)
    }
}

extension FrameName {
    /// True when device motion in it has a heading.
    var hasHeading: Bool { self == .magnetic || self == .true }
}
