// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import Foundation

extension CMDeviceMotion {
    /// All that a device motion knows, in Core Motion's units.
    struct Values: Sendable {
        var attitude = CMQuaternion(x: 0, y: 0, z: 0, w: 1)
        var rotationRate = CMRotationRate()
        var gravity = CMAcceleration()
        var userAcceleration = CMAcceleration()
        var magneticField = CMCalibratedMagneticField(field: CMMagneticField(), accuracy: .uncalibrated)
        var heading = -1.0
        var sensorLocation = SensorLocation.default
    }
}

extension CMDeviceMotion.Values {
    /// The number of values in an archive. New ones go to the end.
    static let numberCount = 19

    /// The values for an archive.
    var numbers: [Double] {
        [
            attitude.x, attitude.y, attitude.z, attitude.w,
            rotationRate.x, rotationRate.y, rotationRate.z,
            gravity.x, gravity.y, gravity.z,
            userAcceleration.x, userAcceleration.y, userAcceleration.z,
            magneticField.field.x, magneticField.field.y, magneticField.field.z,
            Double(magneticField.accuracy.rawValue), heading, Double(sensorLocation.rawValue),
        ]
    }

    /// Reads what ``numbers`` wrote; nil when there is less or something impossible.
    init?(numbers n: [Double]) {
        guard n.count >= Self.numberCount,
            let accuracy = Int32(exactly: n[16]).flatMap(CMMagneticFieldCalibrationAccuracy.init(rawValue:)),
            let location = Int(exactly: n[18]).flatMap(CMDeviceMotion.SensorLocation.init(rawValue:))
        else { return nil }
        attitude = CMQuaternion(x: n[0], y: n[1], z: n[2], w: n[3])
        rotationRate = CMRotationRate(x: n[4], y: n[5], z: n[6])
        gravity = CMAcceleration(x: n[7], y: n[8], z: n[9])
        userAcceleration = CMAcceleration(x: n[10], y: n[11], z: n[12])
        magneticField = CMCalibratedMagneticField(
            field: CMMagneticField(x: n[13], y: n[14], z: n[15]), accuracy: accuracy)
        heading = n[17]
        sensorLocation = location
    }
}
