// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// Which mount matrix a sensor gets: the configuration's before the driver's.
enum MatrixChoice {
    /// Puts the matrix of the first setting that has one in place, and reads it as the first convention that is named.
    static func apply(_ settings: [SensorSetting], to description: inout SensorDescription) {
        guard description.kind.isVector else { return }
        let convention = settings.lazy.compactMap(\.convention).first ?? .kernel
        if convention == .raw {
            description.mountMatrix = .identity
            description.mountMatrixOrigin = "the setting \"raw\""
            return
        }
        var isMeant = true
        if let matrix = settings.lazy.compactMap(\.mountMatrix).first {
            if matrix.isSingular {
                description.remarks.append(
                    "The mount matrix \(matrix.text) of the configuration is not used: \(matrix.problem ?? "it is singular")."
                )
            } else if description.kind != .accelerometer, matrix.determinant < 0 {
                description.remarks.append(
                    "The mount matrix \(matrix.text) of the configuration is not used for a \(description.kind.rawValue): it mirrors."
                )
                isMeant = false
            } else {
                description.mountMatrix = matrix
                description.mountMatrixOrigin = "the configuration"
            }
        }
        // Only accelerometers have two signs: the convention of the hardware database is about gravity.
        guard convention == .windows, isMeant, description.kind == .accelerometer else { return }
        description.mountMatrix = description.mountMatrix.negated
        description.mountMatrixOrigin += ", windows convention"
    }
}
