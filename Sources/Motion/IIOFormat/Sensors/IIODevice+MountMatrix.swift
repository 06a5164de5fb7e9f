// SPDX-License-Identifier: Apache-2.0

internal import DeviceCore

extension IIODevice {
    /// Fills in the driver's mount matrix.
    ///
    /// The first that can be used counts: the channels' own (`in_accel_mount_matrix`), the one for the whole device
    /// (`in_mount_matrix`, which libiio shows as channel "mount" with the attribute "matrix"), then `mount_matrix`.
    /// A matrix of zeros, as an older driver shows, is passed over in silence. One that cannot be read or is singular
    /// is passed over with a remark; so is one that mirrors, for a gyroscope or magnetometer. An accelerometer takes a
    /// mirroring one, with a remark. Where none is left the matrix is identity.
    func setMountMatrix(of sensor: inout IIOSensor) {
        guard sensor.kind.isVector else { return }
        for attribute in mountMatrices(of: sensor) {
            guard let text = attribute.text else { continue }
            let origin = attribute.filename
            guard let matrix = MountMatrix(text) else {
                sensor.noteMount("\(origin) is \"\(text.prefix(80))\", which is not nine numbers: it is left out.")
                continue
            }
            switch matrix.use(for: sensor.kind, origin: origin) {
            case .zeros: continue
            case .refused(let remark): sensor.noteMount(remark)
            case .taken(let remark):
                sensor.mountMatrix = matrix
                sensor.mountMatrixOrigin = origin
                if let remark { sensor.noteMount(remark) }
                return
            }
        }
    }

    /// All attributes that may hold the matrix, the most special first.
    private func mountMatrices(of sensor: IIOSensor) -> [IIOAttribute] {
        let own = sensor.axes.lazy.filter { channels.indices.contains($0.channel) }
            .compactMap { channels[$0.channel].attribute("mount_matrix") }.first
        let mount = channels.first { $0.id == "mount" }?.attribute("matrix")
        return [
            own, attribute("in_\(sensor.kind.channelType)_mount_matrix"), mount, attribute("in_mount_matrix"),
            attribute("mount_matrix"),
        ].compactMap { $0 }
    }
}

extension IIOSensor {
    fileprivate mutating func noteMount(_ remark: String) {
        mountMatrixRemarks.append(remark)
        remarks.append(remark)
    }
}
