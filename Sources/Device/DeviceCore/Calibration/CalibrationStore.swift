// SPDX-License-Identifier: Apache-2.0

/// Where the calibrations of a device's sensors are kept from one run to the next.
///
/// Any thread may call it. Calls may read and write files.
public protocol CalibrationStore: Sendable {
    /// True when what is stored stays; false when it makes no sense to store anything.
    var isWritable: Bool { get }

    /// What is stored of that sensor; nil when nothing is, or what there is cannot be used.
    func load(_ sensor: SensorIdentity) -> SensorCalibration?

    /// Stores what is known of that sensor in the place of what was.
    func store(_ calibration: SensorCalibration, for sensor: SensorIdentity) throws(DeviceError)

    /// Forgets what is stored of that sensor.
    func remove(_ sensor: SensorIdentity) throws(DeviceError)

    /// Why something that is stored cannot be used; empty when all is well.
    var problems: [DeviceError] { get }

    /// The path of the file that holds what is stored of that sensor; nil when no file does.
    func file(of sensor: SensorIdentity) -> String?
}

extension CalibrationStore {
    /// None.
    public func file(of sensor: SensorIdentity) -> String? { nil }
}

/// Calibrations that are given once and never change: those of a trace, or none.
public struct FixedCalibrations: CalibrationStore {
    private let calibrations: [SensorIdentity: SensorCalibration]

    /// Those calibrations.
    public init(_ calibrations: [SensorIdentity: SensorCalibration] = [:]) { self.calibrations = calibrations }

    /// The one of that sensor.
    public func load(_ sensor: SensorIdentity) -> SensorCalibration? { calibrations[sensor] }

    /// False.
    public var isWritable: Bool { false }

    /// Does nothing.
    public func store(_ calibration: SensorCalibration, for sensor: SensorIdentity) throws(DeviceError) {}

    /// Does nothing.
    public func remove(_ sensor: SensorIdentity) throws(DeviceError) {}

    /// None.
    public var problems: [DeviceError] { [] }
}
