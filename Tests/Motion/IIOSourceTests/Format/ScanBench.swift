// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import IIOFormat
import Testing

/// Decodes scans from memory of exactly their size, misaligned by one byte.
struct ScanBench {
    var layout: IIOScanLayout
    var axes: [IIOAxis]
    var timestampChannel: Int?

    /// Creates a layout with one or three axes, and a timestamp after them if its format is given.
    init(_ formats: [String], stamp: String? = nil, scales: [Double] = [1, 1, 1], offset: Double = 0) throws {
        var channels: [(channel: Int, scan: IIOScanElement)] = []
        for text in formats + (stamp.map { [$0] } ?? []) {
            let format = try #require(IIODataFormat(text))
            channels.append((channels.count, IIOScanElement(index: channels.count, format: format)))
        }
        layout = IIOScanLayout(channels)
        axes = formats.indices.map {
            IIOAxis(channel: $0, channelID: "accel", scale: scales[$0], offset: offset)
        }
        timestampChannel = stamp == nil ? nil : formats.count
    }

    init(device: IIODevice, channels: [Int], axes: [IIOAxis]) throws {
        layout = try #require(device.layout(of: channels))
        self.axes = axes
        timestampChannel = device.timestampChannel
    }

    func decode(_ bytes: [UInt8], stride: Int? = nil, capacity: Int? = nil) throws
        -> (values: [SIMD3<Double>], stamps: [Int64])
    {
        let decoder = try #require(
            IIOScanDecoder(layout: layout, axes: axes, timestampChannel: timestampChannel))
        let stride = stride ?? layout.sampleSize
        let count = bytes.count / stride
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count + 1, alignment: 16)
        defer { memory.deallocate() }
        let scans = UnsafeMutableRawBufferPointer(rebasing: memory[1...])
        scans.copyBytes(from: bytes)
        var values = [SIMD3<Double>](repeating: [7, 7, 7], count: capacity ?? count)
        var stamps = [Int64](repeating: 7, count: capacity ?? count)
        let decoded = values.withUnsafeMutableBufferPointer { values in
            stamps.withUnsafeMutableBufferPointer { stamps in
                decoder.decode(
                    UnsafeRawBufferPointer(scans), stride: stride, count: count, values: values,
                    timestamps: decoder.hasTimestamps ? stamps : nil)
            }
        }
        return (Array(values.prefix(decoded)), decoder.hasTimestamps ? Array(stamps.prefix(decoded)) : [])
    }
}
