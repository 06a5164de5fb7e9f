// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// What a motion sensor measures.
public enum SensorKind: String, Sendable, Hashable, CaseIterable {
    /// Proper acceleration (specific force) in m/s²: at rest the axis that points up reads +9.81.
    case accelerometer
    /// Angular rate in rad/s, right-handed about each axis.
    case gyroscope
    /// Magnetic field in gauss (1 gauss is 100 microtesla).
    case magnetometer
    /// Air pressure in kilopascal, in the first component; the others are 0.
    case pressure

    /// True when its readings have three axes, which a mount matrix turns.
    public var isVector: Bool { self != .pressure }

    /// The unit of its readings, as it is written in traces.
    public var unit: String {
        switch self {
        case .accelerometer: "m/s^2"
        case .gyroscope: "rad/s"
        case .magnetometer: "gauss"
        case .pressure: "kPa"
        }
    }
}
