// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import IIOFormat

/// What the files beside a context's XML are called that hold the scans of its devices.
enum IIORecordingNames {
    /// The name under which libiio 1.0's `emu:` backend looks for the scans of a device: `mpu6050_buf0.bin`, with the
    /// device's id where it has no name, and with colons replaced.
    static func written(_ device: IIODevice) -> String {
        "\(replaced(device.name.isEmpty ? device.id : device.name))_buf0.bin"
    }

    /// The names under which scans are looked for, the best first. Names of devices are not unique, so a name counts
    /// only where one device has it.
    static func read(_ device: IIODevice, in context: IIOContext) -> [String] {
        var names = [device.id]
        if !device.name.isEmpty, context.devices.filter({ $0.name == device.name }).count == 1 {
            names.insert(device.name, at: 0)
        }
        var files: [String] = []
        // The names come out of a file: none may lead out of the folder.
        for name in names where !name.contains("/") && !name.contains("\0") && name.utf8.count <= 200 {
            for file in ["\(replaced(name))_buf0.bin", "\(replaced(name)).bin", "\(name).bin"]
            where !files.contains(file) {
                files.append(file)
            }
        }
        return files
    }

    private static func replaced(_ name: String) -> String {
        String(name.map { $0 == ":" || $0 == "/" ? "_" : $0 })
    }
}
