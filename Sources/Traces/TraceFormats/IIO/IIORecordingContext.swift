// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import IIOFormat
import JSONBytes

/// Makes up a context for a recording that has none: a device for each sensor, with numbers fine enough for any.
enum IIORecordingContext {
    /// A sensor, with what its device says.
    struct Sensor {
        var description: SensorDescription
        /// In hertz; nil when it is not known.
        var rate: Double?
        var first = SIMD3<Double>()
    }

    /// A context with one device for each sensor, in their order.
    ///
    /// - Parameter hasStart: true when times are civil ones.
    static func context(_ sensors: [Sensor], hasStart: Bool) -> IIOContext {
        var context = IIOContext(description: "Recording", attributes: [])
        var used: [String: Int] = [:]
        for (number, sensor) in sensors.enumerated() {
            let kind = sensor.description.kind
            used[kind.rawValue, default: 0] += 1
            let count = used[kind.rawValue] ?? 1
            var device = IIODevice(
                id: "iio:device\(number)", name: "recorded-\(kind.rawValue)" + (count > 1 ? "-\(count)" : ""),
                label: sensor.description.label)
            device.channels = channels(sensor)
            device.attributes = [
                IIOAttribute(name: "current_timestamp_clock", value: hasStart ? "realtime" : "boottime"),
                IIOAttribute(name: "sampling_frequency", value: sensor.rate.map(text) ?? "0"),
            ]
            context.devices.append(device)
        }
        return context
    }

    private static func channels(_ sensor: Sensor) -> [IIOChannel] {
        let kind = sensor.description.kind
        let (type, ids, scale) = (kind.channelType, kind.channelIDs, kind.recordingScale)
        var channels: [IIOChannel] = []
        for (index, id) in ids.enumerated() {
            var channel = IIOChannel(id: id)
            channel.scan = IIODataFormat("le:S32/32>>0").map {
                IIOScanElement(index: index, format: $0, scale: Double(scale))
            }
            if kind.isVector, !sensor.description.mountMatrix.isIdentity {
                channel.attributes.append(
                    IIOAttribute(
                        name: "mount_matrix", filename: "in_\(type)_mount_matrix",
                        value: sensor.description.mountMatrix.text)
                )
            }
            let raw = (sensor.first[index] / (Double(scale) ?? 1)).rounded()
            channel.attributes.append(
                IIOAttribute(name: "raw", filename: "in_\(id)_raw", value: Int32(exactly: raw).map(String.init) ?? "0"))
            channel.attributes.append(IIOAttribute(name: "scale", filename: "in_\(type)_scale", value: scale))
            channels.append(channel)
        }
        let stamp = IIODataFormat("le:S64/64>>0").map { IIOScanElement(index: ids.count, format: $0) }
        channels.append(IIOChannel(id: "timestamp", scan: stamp))
        return channels
    }

    /// A number in plain decimals, as sysfs has it.
    private static func text(_ value: Double) -> String {
        var text: [UInt8] = []
        return FixedDecimal.append(value, decimals: 6, to: &text) ? String(decoding: text, as: UTF8.self) : "0"
    }
}

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

    private static func replaced(_ name: String) -> String { String(name.map { $0 == ":" || $0 == "/" ? "_" : $0 }) }
}
