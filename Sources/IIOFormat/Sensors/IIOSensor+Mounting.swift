// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

public import DeviceCore

extension IIOSensor {
    /// The matrix in force: that of a setting, else udev's for accelerometers, else the driver's, else identity.
    ///
    /// The convention says what a matrix is meant for. Where the setting names none it is the kernel's for matrices of
    /// settings and drivers, and the windows one for udev's.
    /// - `kernel`: the matrix as it is.
    /// - `windows`: the matrix yields -9.81 on the axis that points up, so an accelerometer's is negated, even where
    ///   there is no matrix (identity). Turning the sign is no rotation, and a gyroscope or magnetometer knows no such
    ///   sign: of the matrix and its negative they take the one that does not mirror.
    /// - `raw`: no matrix.
    ///
    /// What cannot be used is passed over with a remark, as in ``IIODevice/sensors()``. A pressure sensor has no mount.
    /// - Parameters:
    ///   - setting: What the configuration says of this sensor.
    ///   - settingOrigin: Where the setting comes from, in words.
    ///   - udevMatrix: The text of the udev property ACCEL_MOUNT_MATRIX of the device.
    public func mounting(
        setting: SensorSetting? = nil, settingOrigin: String = "the configuration", udevMatrix: String? = nil
    ) -> IIOMounting {
        var others = remarks.filter { !mountMatrixRemarks.contains($0) }
        guard kind.isVector else { return IIOMounting(remarks: others) }
        let convention = setting?.convention
        if convention == .raw {
            return IIOMounting(origin: "left out (raw) by \(settingOrigin)", remarks: others)
        }
        var candidates: [(matrix: MountMatrix, origin: String, convention: MountConvention)] = []
        if let matrix = setting?.mountMatrix { candidates.append((matrix, settingOrigin, convention ?? .kernel)) }
        if kind == .accelerometer, let udevMatrix, !IIONumber.trimmed(udevMatrix).isEmpty {
            let origin = "the udev property ACCEL_MOUNT_MATRIX"
            if let matrix = MountMatrix(String(IIONumber.trimmed(udevMatrix))) {
                candidates.append((matrix, origin, convention ?? .windows))
            } else {
                others.append("\(origin) is \"\(udevMatrix.prefix(80))\", which is not nine numbers: it is left out.")
            }
        }
        for (matrix, origin, convention) in candidates {
            let matrix = Self.converted(matrix, from: convention, for: kind)
            switch IIOMounting.use(of: matrix, kind: kind, origin: origin) {
            case .zeros: others.append("The mount matrix of \(origin) holds only zeros: it is left out.")
            case .refused(let remark): others.append(remark)
            case .taken(let remark):
                // A windows matrix that does not mirror does so once its sign is turned: that is its convention.
                if let remark, convention == .kernel { others.append(remark) }
                return IIOMounting(matrix: matrix, origin: Self.words(origin, convention), remarks: others)
            }
        }
        let ofDriver = convention ?? .kernel
        return IIOMounting(
            matrix: Self.converted(mountMatrix, from: ofDriver, for: kind),
            origin: Self.words(mountMatrixOrigin, ofDriver), remarks: others + mountMatrixRemarks)
    }

    private static func converted(
        _ matrix: MountMatrix, from convention: MountConvention, for kind: SensorKind
    ) -> MountMatrix {
        guard convention == .windows else { return matrix }
        return kind == .accelerometer || matrix.determinant < 0 ? matrix.negated : matrix
    }

    private static func words(_ origin: String, _ convention: MountConvention) -> String {
        convention == .windows ? "\(origin), windows convention" : origin
    }
}
