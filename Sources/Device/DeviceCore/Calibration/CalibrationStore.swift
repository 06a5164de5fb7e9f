// SPDX-License-Identifier: Apache-2.0

/// Persistent storage for the calibrations of a device's sensors.
///
/// All methods are thread-safe and may access files.
public protocol CalibrationStore: Sendable {
    /// True if stored calibrations persist. If false, storing has no effect.
    var isWritable: Bool { get }

    /// Returns the stored calibration of a sensor, or nil if there is none or it is unusable.
    func load(_ sensor: SensorIdentity) -> SensorCalibration?

    /// Stores the calibration of a sensor and replaces the previous one.
    func store(_ calibration: SensorCalibration, for sensor: SensorIdentity) throws(DeviceError)

    /// Removes the stored calibration of a sensor.
    func remove(_ sensor: SensorIdentity) throws(DeviceError)

    /// The errors of stored calibrations that are unusable; empty if there are none.
    var problems: [DeviceError] { get }

    /// Returns the path of the file that contains the calibration of a sensor, or nil if it is not stored in a file.
    func file(of sensor: SensorIdentity) -> String?
}

extension CalibrationStore {
    /// Returns nil.
    public func file(of sensor: SensorIdentity) -> String? { nil }
}

/// An immutable set of calibrations, for example those of a trace.
public struct InMemoryCalibrationStore: CalibrationStore {
    private let calibrations: [SensorIdentity: SensorCalibration]

    /// Creates a store of the calibrations.
    public init(_ calibrations: [SensorIdentity: SensorCalibration] = [:]) { self.calibrations = calibrations }

    /// Returns the calibration of the sensor.
    public func load(_ sensor: SensorIdentity) -> SensorCalibration? { calibrations[sensor] }

    /// Always false.
    public var isWritable: Bool { false }

    /// Does nothing.
    public func store(_ calibration: SensorCalibration, for sensor: SensorIdentity) throws(DeviceError) {}

    /// Does nothing.
    public func remove(_ sensor: SensorIdentity) throws(DeviceError) {}

    /// Always empty.
    public var problems: [DeviceError] { [] }
}
