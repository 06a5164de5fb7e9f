// SPDX-License-Identifier: Apache-2.0

/// What a motion sensor measures. Readings are in the units of the kernel's Industrial I/O.
///
/// The raw value is the name in traces, configurations and commands, and the name of a sensor that has no other.
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
    public var isVector: Bool {
        switch self {
        case .accelerometer, .gyroscope, .magnetometer: true
        case .pressure: false
        }
    }

    /// The unit of its readings, as it is written in traces.
    public var unit: String { facts.unit }

    /// The type of its channels in the kernel's Industrial I/O, whose ids are "accel_x", "accel_y" and "accel_z", or just
    /// "pressure".
    package var channelType: String { facts.channelType }

    /// The ids of the channels of such a sensor: x, y and z, or the only one.
    package var channelIDs: [String] { isVector ? ["x", "y", "z"].map { "\(channelType)_\($0)" } : [channelType] }

    /// The scale of recordings as 32-bit integers, as sysfs writes it: steps that are finer than any sensor's.
    package var recordingScale: String { facts.recordingScale }

    /// What people call such a sensor.
    package var name: String { facts.name }

    /// The greatest offset on an axis that a calibration may have, in its unit. Sensors that work need far less.
    package var offsetLimit: Double { facts.offsetLimit }

    /// The unit of SenML (RFC 8428) for its readings, nil if it has none, and the factor that converts a reading into it.
    package var senMLUnit: (name: String?, factor: Double) { facts.senML }

    private struct Facts {
        let name: String
        let unit: String
        let channelType: String
        let recordingScale: String
        let offsetLimit: Double
        let senML: (name: String?, factor: Double)
    }

    /// The facts about each kind. Trace and TraceFormats have tables of their own in files named `SensorKind+….swift`.
    private var facts: Facts {
        switch self {
        // 32 bits in these scales reach to 2147 m/s², 214 rad/s, 214 gauss and 2147 kPa.
        case .accelerometer:
            Facts(
                name: rawValue, unit: "m/s^2", channelType: "accel", recordingScale: "0.000001", offsetLimit: 20,
                senML: ("m/s2", 1))
        case .gyroscope:
            Facts(
                name: rawValue, unit: "rad/s", channelType: "anglvel", recordingScale: "0.0000001", offsetLimit: 2,
                senML: (nil, 1))
        case .magnetometer:
            Facts(
                name: rawValue, unit: "gauss", channelType: "magn", recordingScale: "0.0000001", offsetLimit: 20,
                senML: ("T", 1e-4))
        case .pressure:
            Facts(
                name: "barometer", unit: "kPa", channelType: "pressure", recordingScale: "0.000001", offsetLimit: 50,
                senML: ("Pa", 1000))
        }
    }
}
