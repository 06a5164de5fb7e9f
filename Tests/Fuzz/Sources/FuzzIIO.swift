// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import IIOFormat

/// The first six lines of the input are a format, a scale, an offset, a matrix, rates and a key. The rest is the bytes
/// of scans in that format.
func fuzzIIO(_ input: UnsafeBufferPointer<UInt8>) {
    let parts = input.split(separator: UInt8(ascii: "\n"), maxSplits: 6, omittingEmptySubsequences: false)
    guard parts.count == 7 else { return }
    let text = parts.map { String(decoding: $0, as: UTF8.self) }
    let format = IIODataFormat(text[0])
    if let format {
        precondition(IIODataFormat(format.text) == format && IIODataFormat(format.libiioText) == format)
    }
    let names = ["scale", "offset", "mount_matrix", "sampling_frequency_available"]
    var channels = ["x", "y", "z"].enumerated().map { place, axis in
        IIOChannel(
            id: "accel_\(axis)", scan: format.map { IIOScanElement(index: place, format: $0) },
            attributes: zip(names, text[1...4]).map { IIOAttribute(name: $0, value: $1) })
    }
    if let stamp = IIODataFormat("le:s64/64>>0") {
        channels.append(IIOChannel(id: "timestamp", scan: IIOScanElement(index: 3, format: stamp)))
    }
    let device = IIODevice(id: "iio:device0", name: text[5], channels: channels)
    for sensor in device.sensors() {
        var description = SensorDescription(id: text[5], kind: sensor.kind)
        description.mountMatrix = sensor.mountMatrix
        description.applyMountMatrix(from: [], udevMatrix: text[3])
        precondition(!description.mountMatrix.isSingular)
        if sensor.isUsable { decode(parts[6], of: sensor, in: device) }
    }
    var context = IIOContext(description: text[5], version: text[1], devices: [device])
    context.setValue(text[1], for: text[5])
    precondition(context.xml(includingValues: true).hasSuffix("</context>"))
}

private func decode(_ bytes: Slice<UnsafeBufferPointer<UInt8>>, of sensor: IIOSensor, in device: IIODevice) {
    guard let layout = device.layout(of: device.channels.indices),
        let decoder = IIOScanDecoder(layout: layout, axes: sensor.axes, timestampChannel: device.timestampChannel)
    else { return }
    let count = bytes.count / layout.sampleSize
    // A copy in separate memory of the same length, so that the address sanitizer detects a read beyond the end.
    let scans = UnsafeMutableRawBufferPointer.allocate(byteCount: count * layout.sampleSize, alignment: 1)
    defer { scans.deallocate() }
    scans.copyBytes(from: bytes.prefix(scans.count))
    var values = [SIMD3<Double>](repeating: .zero, count: count)
    var times = [BootTime](repeating: .zero, count: count)
    let decoded = values.withUnsafeMutableBufferPointer { values in
        times.withUnsafeMutableBufferPointer { times in
            decoder.decode(
                UnsafeRawBufferPointer(scans), stride: layout.sampleSize, count: count, values: values, times: times,
                clockOffset: 0)
        }
    }
    precondition(decoded == count)
    for value in values { precondition(value.x.isFinite && value.y.isFinite && value.z.isFinite) }
}
