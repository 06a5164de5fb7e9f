// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import JSONBytes
import SystemCalls

/// A mount matrix as the files take it that can hold one.
enum MountText {
    /// The configuration file of this package.
    static func configuration(_ matrix: MountMatrix, sensor: String) -> String {
        var writer = JSONWriter()
        writer.object { writer in
            writer.object("motion") { writer in
                writer.array("sensors") { writer in
                    writer.object { writer in
                        writer.member("sensor", sensor)
                        writer.member("mountMatrix", matrix.text)
                    }
                }
            }
        }
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// systemd's database of hardware, whose matrices yield a negative x and y on the axis that points up.
    static func hardwareDatabase(_ matrix: MountMatrix, sensor: SensorDescription?) -> [String] {
        ["sensor:modalias:\(sensor.flatMap(modalias) ?? "*"):dmi:*", " ACCEL_MOUNT_MATRIX=\(systemd(matrix).text)"]
    }

    /// The same rotation as the database's convention writes it.
    static func systemd(_ matrix: MountMatrix) -> MountMatrix {
        let (first, second, third) = matrix.rows
        // Not -first: that makes zeros negative.
        return MountMatrix(SIMD3(repeating: 0) - first, SIMD3(repeating: 0) - second, third)
    }

    /// What the kernel calls the chip of a sensor of this machine; nil for others.
    private static func modalias(_ sensor: SensorDescription) -> String? {
        guard sensor.source == "local:",
            let name = sensor.id.split(separator: "/").first(where: { $0.hasPrefix("iio:device") })
        else { return nil }
        guard let path = realpath("/sys/bus/iio/devices/\(name)", nil) else { return nil }
        defer { free(path) }
        guard let bytes = try? FileBytes.read(String(cString: path) + "/../modalias", limit: 4096) else { return nil }
        let text = String(decoding: bytes, as: UTF8.self).filter { !$0.isWhitespace }
        // Signs that the database takes for patterns would match something else.
        return text.isEmpty || text.contains(where: { "*?[]\\".contains($0) }) ? nil : text
    }
}
