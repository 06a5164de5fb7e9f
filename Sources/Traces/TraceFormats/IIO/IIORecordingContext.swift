// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import IIOFormat

/// Makes up a context for a recording that has none: a device for each sensor, with numbers fine enough for any.
enum IIORecordingContext {
    /// A sensor, with what its device says.
    struct Sensor {
        var description: SensorDescription
        /// In hertz; nil when it is not known.
        var rate: Double?
        var first = SIMD3<Double>()
    }

    /// A context with one device for each track, in their order.
    static func context(for recording: Recording) -> IIOContext {
        context(
            recording.tracks.map { Sensor(description: $0.sensor, rate: $0.rate, first: $0.values.first ?? .zero) },
            hasStart: recording.start != nil)
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
                IIOAttribute(name: "sampling_frequency", value: sensor.rate.map { text($0, decimals: 6) } ?? "0"),
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
    private static func text(_ value: Double, decimals: Int) -> String {
        var scaled = value
        for _ in 0..<decimals { scaled *= 10 }
        guard let number = Int64(exactly: scaled.rounded()) else { return "0" }
        var digits = String(number.magnitude)
        while digits.utf8.count <= decimals { digits = "0" + digits }
        return "\(number < 0 ? "-" : "")\(digits.dropLast(decimals)).\(digits.suffix(decimals))"
    }
}
