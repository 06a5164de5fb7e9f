// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

public import DeviceCore

extension SensorKind {
    /// The type that the channels of such a sensor have: "accel", "anglvel", "magn" or "pressure".
    public var channelType: String {
        switch self {
        case .accelerometer: "accel"
        case .gyroscope: "anglvel"
        case .magnetometer: "magn"
        case .pressure: "pressure"
        }
    }

    /// The ids of the channels of such a sensor: x, y and z, or the one of a pressure sensor.
    public var channelIDs: [String] {
        isVector ? ["x", "y", "z"].map { "\(channelType)_\($0)" } : [channelType]
    }
}
