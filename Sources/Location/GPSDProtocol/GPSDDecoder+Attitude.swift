// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import JSONBytes

extension GPSDDecoder {
    /// The members of an ATT.
    mutating func readAttitude(_ reader: inout JSONReader) throws(JSONError) -> GPSDReport {
        var report = AttitudeReport()
        while let key = try reader.nextKey() {
            switch key.word {
            case JSONText.word("class"): try noteClass(&reader)
            case JSONText.word("device"): report.receiver = try readReceiver(&reader)
            case JSONText.word("time"): report.time = try reader.wallTime()
            case JSONText.word("heading"): report.heading = try reader.quantity()
            case JSONText.word("mheading"): report.magneticHeading = try reader.quantity()
            case JSONText.word("pitch"): report.pitch = try reader.quantity()
            case JSONText.word("roll"): report.roll = try reader.quantity()
            case JSONText.word("yaw"): report.yaw = try reader.quantity()
            case JSONText.word("dip"): report.dip = try reader.quantity()
            case JSONText.word("rot"): report.rateOfTurn = try reader.quantity()
            case JSONText.word("mag_x"): report.magneticField.x = try reader.quantity()
            case JSONText.word("mag_y"): report.magneticField.y = try reader.quantity()
            case JSONText.word("mag_z"): report.magneticField.z = try reader.quantity()
            case JSONText.word("acc_x"): report.acceleration.x = try reader.quantity()
            case JSONText.word("acc_y"): report.acceleration.y = try reader.quantity()
            case JSONText.word("acc_z"): report.acceleration.z = try reader.quantity()
            case JSONText.word("gyro_x"): report.rotationRate.x = try reader.quantity()
            case JSONText.word("gyro_y"): report.rotationRate.y = try reader.quantity()
            case JSONText.word("gyro_z"): report.rotationRate.z = try reader.quantity()
            default: try reader.skipValue()
            }
        }
        return .attitude(report)
    }
}
