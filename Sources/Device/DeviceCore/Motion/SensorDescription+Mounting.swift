// SPDX-License-Identifier: Apache-2.0

extension SensorDescription {
    /// Replaces the driver's matrix in ``mountMatrix`` with the effective mount matrix. Settings take precedence over
    /// udev, and udev over the driver. The udev matrix is used for accelerometers only.
    ///
    /// The matrix is taken from the first applicable setting that specifies a matrix. The convention is taken from the
    /// first applicable setting that specifies a convention, which may be a different setting. If no setting specifies
    /// a convention, matrices from settings and drivers follow the kernel's convention. Matrices from udev then follow
    /// the convention of systemd's hardware database, in which an x or y axis that points up has a negative reading.
    /// - `kernel`: The matrix is used unchanged.
    /// - `windows`: With the matrix, or with the identity if none is given, an axis that points up reads -9.81. For an
    ///   accelerometer, the matrix is therefore negated. For a gyroscope or a magnetometer, either the matrix or its
    ///   negative is used, whichever is not a reflection.
    /// - `raw`: No matrix is used.
    ///
    /// A singular matrix is skipped, and a remark is added. A remark is also added for a matrix that contains a
    /// reflection, but such a matrix is skipped only for gyroscopes and magnetometers. Pressure sensors are not
    /// changed.
    ///
    /// - Parameters:
    ///   - settings: The configuration's sensor settings.
    ///   - udevMatrix: The device's udev property ACCEL_MOUNT_MATRIX.
    ///   - driverRemarks: Remarks about the driver's matrix. They are removed if a different matrix is used.
    package mutating func applyMountMatrix(
        from settings: [SensorSetting], udevMatrix: String? = nil, driverRemarks: [String] = []
    ) {
        guard kind.isVector else { return }
        let applying = settings.filter { $0.applies(to: self) }
        let convention = applying.lazy.compactMap(\.convention).first
        if convention == .raw {
            setMountMatrix(.identity, origin: "left out (raw) by the configuration", removing: driverRemarks)
            return
        }
        var candidates: [(matrix: MountMatrix, origin: String, convention: MountConvention)] = []
        if let matrix = applying.lazy.compactMap(\.mountMatrix).first {
            candidates.append((matrix, "the configuration", convention ?? .kernel))
        }
        if kind == .accelerometer, let udevMatrix, !udevMatrix.allSatisfy(\.isWhitespace) {
            let origin = "the udev property ACCEL_MOUNT_MATRIX"
            if let matrix = MountMatrix(udevMatrix) {
                candidates.append(
                    (convention == nil ? matrix.convertedFromHardwareDatabase : matrix, origin, convention ?? .kernel))
            } else {
                remarks.append(
                    "The value of \(origin), \"\(udevMatrix.prefix(80))\", is not nine numbers. It is ignored.")
            }
        }
        for (matrix, origin, convention) in candidates {
            let matrix = matrix.converted(from: convention, for: kind)
            switch matrix.validity(for: kind, origin: origin) {
            case .empty: remarks.append("The mount matrix from \(origin) contains only zeros and is ignored.")
            case .rejected(let remark): remarks.append(remark)
            case .accepted(let remark):
                setMountMatrix(matrix, origin: convention.describe(origin), removing: driverRemarks)
                // In the `windows` convention, a rotation is negated, which yields a reflection. No remark is needed
                // in this case.
                if let remark, convention == .kernel { remarks.append(remark) }
                return
            }
        }
        guard convention == .windows else { return }
        mountMatrix = mountMatrix.converted(from: .windows, for: kind)
        mountMatrixOrigin = MountConvention.windows.describe(mountMatrixOrigin)
    }

    private mutating func setMountMatrix(_ matrix: MountMatrix, origin: String, removing former: [String]) {
        mountMatrix = matrix
        mountMatrixOrigin = origin
        remarks.removeAll { former.contains($0) }
    }
}

extension MountMatrix {
    /// The rotation that corresponds to a matrix from systemd's hardware database.
    ///
    /// In such a matrix, the signs of x and y are reversed. The sign of z may also be wrong, because the matrices were
    /// derived from the screen orientation, which does not depend on z. A sensor cannot be mirrored, so the sign of z
    /// is chosen to make the matrix a rotation.
    var convertedFromHardwareDatabase: MountMatrix {
        let (first, second, third) = rows
        return MountMatrix(-first, -second, determinant < 0 ? -third : third)
    }

    fileprivate func converted(from convention: MountConvention, for kind: SensorKind) -> MountMatrix {
        guard convention == .windows else { return self }
        return kind == .accelerometer || determinant < 0 ? negated : self
    }
}

extension MountConvention {
    fileprivate func describe(_ origin: String) -> String {
        self == .windows ? "\(origin), windows convention" : origin
    }
}
