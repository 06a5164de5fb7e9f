// SPDX-License-Identifier: Apache-2.0

/// The kind of a motion sensor, which determines the quantity and the unit of its readings. The units are those of the
/// kernel's Industrial I/O subsystem. The raw value appears in traces, configurations and commands. It also identifies
/// sensors in recordings that contain no sensor names.
public enum SensorKind: String, Sendable, Hashable, CaseIterable {
    /// Proper acceleration (specific force) in m/s². At rest, an axis that points up reads +9.81.
    case accelerometer
    /// Angular rate in rad/s, right-handed about each axis.
    case gyroscope
    /// Magnetic field in gauss (1 gauss is 100 microtesla).
    case magnetometer
    /// Air pressure in kilopascals, in the first component. The other components are 0.
    case pressure

    /// True if readings have three axes, so that a mount matrix applies.
    package var isVector: Bool {
        switch self {
        case .accelerometer, .gyroscope, .magnetometer: true
        case .pressure: false
        }
    }

    /// The unit of readings, in the notation of traces.
    public var unit: String { properties.unit }

    /// The channel type in the Industrial I/O subsystem. A channel's ID is either the type alone or the type followed
    /// by an axis, as in "accel_x".
    package var channelType: String { properties.channelType }

    package var channelIDs: [String] { isVector ? ["x", "y", "z"].map { "\(channelType)_\($0)" } : [channelType] }

    /// The scale of the 32-bit integers in recordings, in sysfs notation. It is finer than the resolution of any
    /// sensor.
    package var recordingScale: String { properties.recordingScale }

    package var name: String { properties.name }

    /// The largest offset per axis that a calibration may contain. A working sensor has far smaller offsets.
    package var maximumOffset: Double { properties.maximumOffset }

    /// The name of the SenML unit (RFC 8428), and the factor that converts a reading to that unit. If SenML has no
    /// suitable unit, the name is nil and the factor is 1.
    package var senMLUnit: (name: String?, factor: Double) { properties.senML }

    private typealias Properties = (
        name: String, unit: String, channelType: String, recordingScale: String, maximumOffset: Double,
        senML: (name: String?, factor: Double)
    )

    private var properties: Properties {
        switch self {
        // With these scales, 32-bit integers cover ±2147 m/s², ±214 rad/s, ±214 gauss and ±2147 kPa.
        case .accelerometer:
            (
                name: rawValue, unit: "m/s^2", channelType: "accel", recordingScale: "0.000001", maximumOffset: 20,
                senML: ("m/s2", 1)
            )
        case .gyroscope:
            (
                name: rawValue, unit: "rad/s", channelType: "anglvel", recordingScale: "0.0000001", maximumOffset: 2,
                senML: (nil, 1)
            )
        case .magnetometer:
            (
                name: rawValue, unit: "gauss", channelType: "magn", recordingScale: "0.0000001", maximumOffset: 20,
                senML: ("T", 1e-4)
            )
        case .pressure:
            (
                name: "barometer", unit: "kPa", channelType: "pressure", recordingScale: "0.000001", maximumOffset: 50,
                senML: ("Pa", 1000)
            )
        }
    }
}
