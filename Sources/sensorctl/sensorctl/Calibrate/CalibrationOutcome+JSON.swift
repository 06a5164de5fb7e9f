// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import JSONBytes
import SensorFusion

extension CalibrationOutcome {
    /// Writes an object of it, in the units of traces: rad/s, m/s², gauss.
    ///
    /// - Parameter more: further members.
    func write(to writer: inout JSONWriter, sensor: SensorDescription?, _ more: (inout JSONWriter) -> Void = { _ in }) {
        writer.beginObject()
        writer.key("calibration")
        writer.string(topic.rawValue)
        writer.key("sensor")
        if let sensor { writer.string(sensor.id) } else { writer.null() }
        writer.key("name")
        if let sensor { writer.string(sensor.name) } else { writer.null() }
        switch self {
        case .gyro(let bias, let sigma, let seconds):
            writer.key("bias")
            writer.list(bias)
            writer.key("sigma")
            writer.double(sigma)
            writer.key("seconds")
            writer.double(seconds)
        case .accelerometer(let calibration):
            writer.key("offset")
            writer.list(calibration.offset)
            writer.key("matrix")
            writer.beginArray()
            for row in [calibration.row0, calibration.row1, calibration.row2] { writer.list(row) }
            writer.endArray()
            writer.key("residual")
            writer.double(calibration.residual)
            writer.key("tilt")
            writer.double(calibration.tilt)
        case .mount(let matrix, let deviation, let isRounded):
            writer.key("mountMatrix")
            writer.string(matrix.text)
            writer.key("deviation")
            writer.double(deviation)
            writer.key("rounded")
            writer.bool(isRounded)
            writer.key("hwdb")
            writer.string(MountText.hardwareDatabase(matrix, sensor: sensor).joined(separator: "\n"))
            writer.key("configuration")
            let name = sensor.map { $0.name.isEmpty ? $0.id : $0.name } ?? "*"
            writer.raw(MountText.configuration(matrix, sensor: name).utf8)
        case .magnetometer(let calibration):
            writer.key("hardIron")
            writer.list(calibration.hardIron)
            writer.key("softIron")
            writer.beginArray()
            for row in calibration.softIron { writer.list(row) }
            writer.endArray()
            writer.key("quality")
            writer.string(calibration.quality.name)
            writer.key("coverage")
            writer.double(calibration.coverage)
            writer.key("residual")
            writer.double(calibration.residual)
            writer.key("fieldStrength")
            writer.double(calibration.fieldStrength)
            writer.key("dip")
            writer.double(calibration.dip)
        }
        more(&writer)
        writer.endObject()
    }
}
