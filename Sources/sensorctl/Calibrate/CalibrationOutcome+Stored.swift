// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore

extension CalibrationOutcome {
    /// As it is stored: in the sensor's own axes. Nil for a mount, which belongs to the configuration.
    func stored(_ mount: MountMatrix, date: WallTime) -> SensorCalibration? { nil }

    /// What is stored of a sensor; nil for one that keeps none.
    init?(_ stored: SensorCalibration, of sensor: SensorDescription) { nil }
}
