// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// Calibrations that are given once and never change: those of a trace.
public struct FixedCalibrations: CalibrationStore {
    private let calibrations: [SensorIdentity: SensorCalibration]

    /// Those calibrations.
    public init(_ calibrations: [SensorIdentity: SensorCalibration]) {
        self.calibrations = calibrations
    }

    /// False.
    public var isWritable: Bool { false }

    /// The one of that sensor.
    public func load(_ sensor: SensorIdentity) -> SensorCalibration? { calibrations[sensor] }

    /// Does nothing.
    public func store(_ calibration: SensorCalibration, for sensor: SensorIdentity) throws(DeviceError) {}

    /// Does nothing.
    public func remove(_ sensor: SensorIdentity) throws(DeviceError) {}

    /// None.
    public var problems: [DeviceError] { [] }
}
