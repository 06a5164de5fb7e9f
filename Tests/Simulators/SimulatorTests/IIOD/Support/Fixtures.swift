// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import IIOFormat

@testable import IIODSimulator

enum Fixtures {
    static func element(_ index: Int, _ text: String, scale: Double? = nil) -> IIOScanElement? {
        IIODataFormat(text).map { IIOScanElement(index: index, format: $0, scale: scale) }
    }

    /// The accelerometer that Debian's iiod served when the dialogue was recorded.
    static var accelerometer: IIOContext {
        var device = IIODevice(id: "iio:device0", name: "mpu6050", label: "accel-display")
        for (index, axis) in ["x", "y", "z"].enumerated() {
            device.channels.append(
                IIOChannel(
                    id: "accel_\(axis)", scan: element(index, "be:s16/16>>0", scale: 0.000598),
                    attributes: [
                        IIOAttribute(name: "calibbias", filename: "in_accel_\(axis)_calibbias", value: "0"),
                        IIOAttribute(
                            name: "mount_matrix", filename: "in_accel_mount_matrix", value: "0, 1, 0; 1, 0, 0; 0, 0, -1"
                        ),
                        IIOAttribute(
                            name: "raw", filename: "in_accel_\(axis)_raw", value: ["100", "-16384", "12"][index]),
                        IIOAttribute(name: "scale", filename: "in_accel_scale", value: "0.000598"),
                    ]))
        }
        device.channels.append(IIOChannel(id: "timestamp", scan: element(3, "le:s64/64>>0")))
        device.attributes = [
            IIOAttribute(name: "current_timestamp_clock", value: "realtime"),
            IIOAttribute(name: "sampling_frequency", value: "100"),
            IIOAttribute(name: "sampling_frequency_available", value: "10 20 50 100 200 500"),
        ]
        device.bufferAttributes = [IIOAttribute(name: "data_available", value: "0")]
        return IIOContext(
            description: "Linux vm 6.18.44-fc-v595 #1 SMP PREEMPT_DYNAMIC @0 x86_64",
            attributes: [
                IIOAttribute(name: "local,kernel", value: "6.18.44-fc-v595"),
                IIOAttribute(name: "uri", value: "local:"),
            ],
            devices: [device, IIODevice(id: "trigger0", name: "mpu6050-dev0")])
    }

    /// Accelerometer readings with the raw values 0, 1, 2, … on x, -16384 on y and 12 on z.
    static func counting(_ times: [Int64]) -> IIOSampleTrack {
        IIOSampleTrack(
            kind: .accelerometer, times: times,
            values: times.indices.map { SIMD3(Double($0), -16384, 12) * 0.000598 })
    }

    /// Times in steps of 10 ms from 0, in nanoseconds.
    static func steps(_ count: Int) -> [Int64] { (0..<count).map { Int64($0) * 10_000_000 } }
}
