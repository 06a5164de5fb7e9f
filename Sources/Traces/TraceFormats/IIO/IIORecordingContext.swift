// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import IIOFormat
import JSONBytes

/// Creates a libiio context for a recording, with one device for each sensor.
enum IIORecordingContext {
    struct Sensor {
        var description: SensorDescription
        /// The sample rate in hertz, or nil if unknown.
        var rate: Double?
        /// The first reading, which supplies the values of the `raw` attributes.
        var first = SIMD3<Double>()
    }

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
                        value: sensor.description.mountMatrix.text))
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

    /// Formats a number as in sysfs, in decimal notation without an exponent.
    private static func text(_ value: Double) -> String {
        var text: [UInt8] = []
        return FixedDecimal.append(value, decimals: 6, to: &text) ? String(decoding: text, as: UTF8.self) : "0"
    }
}

/// The names of the files that contain each device's scans. The files are in the same folder as the context's XML.
enum IIOBufferFileNames {
    /// Returns the file name that the `emu:` backend of libiio 1.0 expects, for example `mpu6050_buf0.bin`.
    static func exportName(of device: IIODevice) -> String {
        "\(replacingSeparators(device.name.isEmpty ? device.id : device.name))_buf0.bin"
    }

    /// Returns the possible names of a device's scan file, in order of preference. A name based on the device name is
    /// included only if no other device has that name.
    static func importNames(of device: IIODevice, in context: IIOContext) -> [String] {
        var names = [device.id]
        if !device.name.isEmpty, context.devices.filter({ $0.name == device.name }).count == 1 {
            names.insert(device.name, at: 0)
        }
        var files: [String] = []
        // The names come from the XML file. A name is skipped if it could refer to a file outside the folder.
        for name in names where !name.contains("/") && !name.contains("\0") && name.utf8.count <= 200 {
            for file in ["\(replacingSeparators(name))_buf0.bin", "\(replacingSeparators(name)).bin", "\(name).bin"]
            where !files.contains(file) { files.append(file) }
        }
        return files
    }

    private static func replacingSeparators(_ name: String) -> String {
        String(name.map { $0 == ":" || $0 == "/" ? "_" : $0 })
    }
}
