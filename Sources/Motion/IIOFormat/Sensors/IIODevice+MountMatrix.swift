// SPDX-License-Identifier: Apache-2.0

internal import DeviceCore

extension IIODevice {
    /// Sets the mount matrix of a sensor from the driver's attributes. Uses the first valid matrix among the attribute
    /// of the channels (`in_accel_mount_matrix`), the attribute of the device (`in_mount_matrix`, which libiio
    /// represents as the attribute "matrix" of a channel "mount") and `mount_matrix`. If there is none, the matrix is
    /// the identity. A matrix of zeros, as reported by an older driver, is ignored. Invalid and singular matrices are
    /// ignored with a remark. A matrix that mirrors is ignored with a remark for a gyroscope or magnetometer, and
    /// accepted with a remark for an accelerometer.
    func setMountMatrix(of sensor: inout IIOSensor) {
        guard sensor.kind.isVector else { return }
        for attribute in mountMatrices(of: sensor) {
            guard let text = attribute.text else { continue }
            let origin = attribute.filename
            guard let matrix = MountMatrix(text) else {
                sensor.addMountMatrixRemark(
                    "\(origin) is \"\(text.prefix(80))\", which does not consist of nine numbers. It is ignored.")
                continue
            }
            switch matrix.validity(for: sensor.kind, origin: origin) {
            case .empty: continue
            case .rejected(let remark): sensor.addMountMatrixRemark(remark)
            case .accepted(let remark):
                sensor.mountMatrix = matrix
                sensor.mountMatrixOrigin = origin
                if let remark { sensor.addMountMatrixRemark(remark) }
                return
            }
        }
    }

    private func mountMatrices(of sensor: IIOSensor) -> [IIOAttribute] {
        let channelAttribute = sensor.axes.lazy.filter { channels.indices.contains($0.channel) }
            .compactMap { channels[$0.channel].attribute("mount_matrix") }.first
        let mount = channels.first { $0.id == "mount" }?.attribute("matrix")
        return [
            channelAttribute, attribute("in_\(sensor.kind.channelType)_mount_matrix"), mount,
            attribute("in_mount_matrix"), attribute("mount_matrix"),
        ].compactMap { $0 }
    }
}

extension IIOSensor {
    fileprivate mutating func addMountMatrixRemark(_ remark: String) {
        mountMatrixRemarks.append(remark)
        remarks.append(remark)
    }
}
