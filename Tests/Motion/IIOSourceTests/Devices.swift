// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import IIOFormat
import Synchronization

@testable import IIOSource

/// Devices for the scripted library.
enum Devices {
    /// Returns a channel for an axis with the attributes that drivers provide.
    static func axis(_ id: String, index: Int?, scale: String, format: IIODataFormat?) -> IIOChannel {
        let type = id.split(separator: "_").first.map(String.init) ?? id
        return IIOChannel(
            id: id, scan: index.flatMap { index in format.map { IIOScanElement(index: index, format: $0) } },
            attributes: [
                IIOAttribute(name: "raw", filename: "in_\(id)_raw"),
                IIOAttribute(name: "scale", filename: "in_\(type)_scale", value: scale),
            ])
    }

    /// Returns an IMU with 3 x be:s16 accelerometer, 3 x be:s16 gyroscope and a timestamp. Its trigger is `trigger`.
    static func imu(
        id: String = "iio:device0", label: String = "", rate: String = "50", hasTimestamp: Bool = true,
        isBuffered: Bool = true, extra: [IIOAttribute] = []
    ) -> IIODevice {
        let format = IIODataFormat(isBigEndian: true, bits: 16, storageBits: 16)
        let stamp = IIODataFormat(bits: 64, storageBits: 64)
        var channels: [IIOChannel] = []
        for (index, name) in ["accel_x", "accel_y", "accel_z", "anglvel_x", "anglvel_y", "anglvel_z"].enumerated() {
            channels.append(
                axis(name, index: isBuffered ? index : nil, scale: index < 3 ? "0.01" : "0.001", format: format))
        }
        if hasTimestamp, isBuffered, let stamp {
            channels.append(IIOChannel(id: "timestamp", scan: IIOScanElement(index: 7, format: stamp)))
        }
        return IIODevice(
            id: id, name: "mpu6050", label: label, channels: channels,
            attributes: [
                IIOAttribute(name: "current_timestamp_clock", value: "realtime"),
                IIOAttribute(name: "sampling_frequency", value: rate),
                IIOAttribute(name: "sampling_frequency_available", value: "10 20 50 100 200 500"),
            ] + extra)
    }

    static let trigger = IIODevice(id: "trigger0", name: "mpu6050-dev0")

    static let context = IIOContext(devices: [imu(), trigger])

    static let rate = IIOAttributePath.device(0, "sampling_frequency")
    static let clock = IIOAttributePath.device(0, "current_timestamp_clock")

    /// Returns a library with the initial attribute values of the drivers.
    static func library(_ context: IIOContext = context) -> ScriptedLibrary {
        let library = ScriptedLibrary(context)
        library.script.withLock { script in
            script.presence = context.devices.map(\.id)
            for (number, device) in context.devices.enumerated() {
                for attribute in device.attributes {
                    if let value = attribute.value { script.values[.device(number, attribute.name)] = value }
                }
                for index in device.channels.indices where device.channels[index].id != "timestamp" {
                    script.values[.channel(number, index, "raw")] = "\(100 * (index + 1))"
                }
            }
        }
        return library
    }

    /// Returns a scan of the accelerometer with its timestamp: 3 x be:s16, two bytes of padding, s64 in host order.
    static func scan(_ x: Int16, _ y: Int16, _ z: Int16, time: Int64) -> [UInt8] {
        var bytes: [UInt8] = []
        for value in [x, y, z] {
            let bits = UInt16(bitPattern: value)
            bytes += [UInt8(bits >> 8), UInt8(truncatingIfNeeded: bits)]
        }
        bytes += [0, 0]
        for shift in 0..<8 { bytes.append(UInt8(truncatingIfNeeded: time >> Int64(8 * shift))) }
        return bytes
    }

    /// Returns the parts of a source that uses the library and real threads. Before each thread, `willSpawn` is called,
    /// which may throw the error of a system that cannot create one.
    static func dependencies(
        _ library: ScriptedLibrary, clock: any DeviceClock = LiveClock(), settings: [SensorSetting] = [],
        options: IIOSourceOptions = quick,
        willSpawn: @escaping @Sendable () throws(DeviceError) -> Void = {}
    ) -> IIOSourceDependencies {
        IIOSourceDependencies(
            library: library, clock: clock, settings: settings, options: options,
            spawn: { [journal = library.journal] body throws(DeviceError) in
                try willSpawn()
                try WorkerThread.start {
                    body()
                    journal.record("thread left")
                }
            })
    }

    /// Options with a retry delay of ten milliseconds.
    static var quick: IIOSourceOptions {
        var options = IIOSourceOptions()
        options.initialRetryDelay = 0.01
        options.maximumRetryDelay = 0.02
        options.searchInterval = 0.01
        return options
    }
}
