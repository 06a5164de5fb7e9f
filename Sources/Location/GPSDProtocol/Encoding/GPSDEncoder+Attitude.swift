// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

public import DeviceCore

extension GPSDEncoder {
    /// An ATT.
    public static func line(_ report: AttitudeReport) -> [UInt8] {
        var members = Members("ATT")
        members.text("device", report.receiver)
        members.time("time", report.time)
        members.number("heading", report.heading, decimals: 4)
        members.number("mheading", report.magneticHeading, decimals: 4)
        members.number("pitch", report.pitch, decimals: 4)
        members.number("yaw", report.yaw, decimals: 4)
        members.number("roll", report.roll, decimals: 4)
        members.number("rot", report.rateOfTurn, decimals: 4)
        members.number("dip", report.dip, decimals: 4)
        members.number("mag_x", report.magneticField.x, decimals: 4)
        members.number("mag_y", report.magneticField.y, decimals: 4)
        members.number("mag_z", report.magneticField.z, decimals: 4)
        members.number("acc_x", report.acceleration.x, decimals: 4)
        members.number("acc_y", report.acceleration.y, decimals: 4)
        members.number("acc_z", report.acceleration.z, decimals: 4)
        members.number("gyro_x", report.rotationRate.x, decimals: 4)
        members.number("gyro_y", report.rotationRate.y, decimals: 4)
        members.number("gyro_z", report.rotationRate.z, decimals: 4)
        return members.line()
    }
}
