// SPDX-License-Identifier: Apache-2.0

extension SensorDescription {
    /// Puts the mount matrix in force in the place of the driver's: that of the settings, else udev's for
    /// accelerometers, else the driver's, which is ``mountMatrix`` so far.
    ///
    /// Of the settings that speak of this sensor, the first that has a matrix gives it, and the first that names a
    /// convention says what it is meant for. Where none names one it is the kernel's for matrices of settings and
    /// drivers; one of udev's is read as systemd's hardware database means it,
    /// with x and y negative on the axis that points up.
    /// - `kernel`: the matrix as it is.
    /// - `windows`: the matrix yields -9.81 on the axis that points up, so an accelerometer's is negated, even where
    ///   there is no matrix (identity). Turning the sign is no rotation, and a gyroscope or magnetometer knows no such
    ///   sign: of the matrix and its negative they take the one that does not mirror.
    /// - `raw`: no matrix.
    ///
    /// What is singular is passed over with a remark; so is what mirrors, for a gyroscope or magnetometer. An
    /// accelerometer takes what mirrors, with a remark. A pressure sensor has no mount, and stays as it is.
    /// - Parameters:
    ///   - settings: What the configuration says of sensors.
    ///   - udevMatrix: The text of the udev property ACCEL_MOUNT_MATRIX of the device.
    ///   - driverRemarks: Those of the remarks that speak of the driver's matrix; they go when another is used.
    public mutating func mount(by settings: [SensorSetting], udevMatrix: String? = nil, driverRemarks: [String] = []) {
        guard kind.isVector else { return }
        let applying = settings.filter { $0.applies(to: self) }
        let convention = applying.lazy.compactMap(\.convention).first
        if convention == .raw {
            take(.identity, "left out (raw) by the configuration", instead: driverRemarks)
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
                    (convention == nil ? matrix.ofHardwareDatabase : matrix, origin, convention ?? .kernel))
            } else {
                remarks.append("\(origin) is \"\(udevMatrix.prefix(80))\", which is not nine numbers: it is left out.")
            }
        }
        for (matrix, origin, convention) in candidates {
            let matrix = matrix.converted(from: convention, for: kind)
            switch matrix.use(for: kind, origin: origin) {
            case .zeros: remarks.append("The mount matrix of \(origin) holds only zeros: it is left out.")
            case .refused(let remark): remarks.append(remark)
            case .taken(let remark):
                take(matrix, convention.words(origin), instead: driverRemarks)
                // A windows matrix that does not mirror does so once its sign is turned: that is its convention.
                if let remark, convention == .kernel { remarks.append(remark) }
                return
            }
        }
        guard convention == .windows else { return }
        mountMatrix = mountMatrix.converted(from: .windows, for: kind)
        mountMatrixOrigin = MountConvention.windows.words(mountMatrixOrigin)
    }

    private mutating func take(_ matrix: MountMatrix, _ origin: String, instead former: [String]) {
        mountMatrix = matrix
        mountMatrixOrigin = origin
        remarks.removeAll { former.contains($0) }
    }
}

extension MountMatrix {
    /// The rotation that systemd's hardware database means with this matrix.
    ///
    /// Its matrices are made by looking at the orientation of the picture: x and y of what they yield are negative on the
    /// axis that points up. The sign of z does not show in that, and many of them mirror; as a sensor can be turned but
    /// not mirrored, z gets the sign that makes a rotation.
    var ofHardwareDatabase: MountMatrix {
        let (first, second, third) = rows
        return MountMatrix(-first, -second, determinant < 0 ? -third : third)
    }

    fileprivate func converted(from convention: MountConvention, for kind: SensorKind) -> MountMatrix {
        guard convention == .windows else { return self }
        return kind == .accelerometer || determinant < 0 ? negated : self
    }
}

extension MountConvention {
    fileprivate func words(_ origin: String) -> String {
        self == .windows ? "\(origin), windows convention" : origin
    }
}
