// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore

extension SensorDescription {
    /// The sensor with the mount matrix that the settings give it. For the matrix and for its convention the first
    /// setting counts that says something about this sensor.
    ///
    /// A matrix in the windows convention yields an accelerometer's readings with their sign turned round, and is turned
    /// back here; it says nothing about the signs of other sensors. A singular matrix is left out, which a remark says.
    func applying(_ settings: [SensorSetting]) -> SensorDescription {
        let applicable = settings.filter { $0.applies(to: self) }
        let matrix = applicable.lazy.compactMap(\.mountMatrix).first
        let convention = applicable.lazy.compactMap(\.convention).first
        guard matrix != nil || convention != nil, kind.isVector else { return self }
        var sensor = self
        if convention == .raw {
            sensor.mountMatrix = .identity
            sensor.mountMatrixOrigin = "configuration: raw"
            return sensor
        }
        if let matrix {
            guard !matrix.isSingular else {
                sensor.remarks.append(
                    "The configured mount matrix is left out, for it is singular: it loses a direction.")
                return sensor
            }
            sensor.mountMatrix = matrix
            sensor.mountMatrixOrigin = "configuration"
        }
        if convention == .windows {
            sensor.mountMatrixOrigin += ", windows convention"
            if kind == .accelerometer { sensor.mountMatrix = sensor.mountMatrix.negated }
        }
        return sensor
    }
}
