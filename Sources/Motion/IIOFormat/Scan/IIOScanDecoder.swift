// SPDX-License-Identifier: Apache-2.0

package import DeviceCore

/// Decodes the samples of one sensor from the bytes of a buffer. A value is (raw + offset) × scale, in the sensor's
/// unit and axes. Decoding allocates no memory and checks bounds once per call. Thread-safe.
package struct IIOScanDecoder: Sendable {
    package let hasTimestamps: Bool
    package let minimumStride: Int
    private let axisConverters: [IIOAxisConverter]
    private let packed: IIOPackedAxes?
    private let timestampElement: IIOScanLayout.Element?

    /// Creates a decoder for one or three axes. Returns nil if an axis is not in the layout, has more than one value,
    /// or is not usable. Ignores a timestamp channel that is not in the layout or does not have 64 bits.
    package init?(layout: IIOScanLayout, axes: [IIOAxis], timestampChannel: Int?) {
        guard axes.count == 1 || axes.count == 3 else { return nil }
        var converters: [IIOAxisConverter] = []
        for axis in axes {
            guard let element = layout.element(of: axis.channel), element.format.count == 1, axis.isUsable else {
                return nil
            }
            converters.append(
                IIOAxisConverter(offset: element.offset, format: element.format, conversion: axis.conversion))
        }
        self.axisConverters = converters
        packed = IIOPackedAxes(converters)
        timestampElement = timestampChannel.flatMap { layout.element(of: $0) }.flatMap { element in
            let format = element.format
            return format.bits == 64 && format.count == 1 ? element : nil
        }
        hasTimestamps = timestampElement != nil
        minimumStride = max(converters.map(\.end).max() ?? 0, timestampElement?.end ?? 0)
    }

    /// Decodes up to `count` scans that are `stride` bytes apart. The timestamps are in nanoseconds on the driver's
    /// clock. Returns the number of decoded scans, or 0 if the stride is too small for the layout. For a single axis,
    /// the second and third components are 0. If the scans contain no timestamps, `timestamps` is not changed.
    @discardableResult
    package func decode(
        _ bytes: UnsafeRawBufferPointer, stride: Int, count: Int, values: UnsafeMutableBufferPointer<SIMD3<Double>>,
        timestamps: UnsafeMutableBufferPointer<Int64>?
    ) -> Int { decode(bytes, stride, count, values, timestamps.map(UnsafeMutableRawBufferPointer.init), 0) }

    /// Like ``decode(_:stride:count:values:timestamps:)``, but adds `clockOffset` nanoseconds to each timestamp.
    @discardableResult
    package func decode(
        _ bytes: UnsafeRawBufferPointer, stride: Int, count: Int, values: UnsafeMutableBufferPointer<SIMD3<Double>>,
        times: UnsafeMutableBufferPointer<BootTime>?, clockOffset: Int64
    ) -> Int {
        // Each time is written as a single `Int64`, so nothing is decoded unless `BootTime` has the same size.
        guard MemoryLayout<BootTime>.size == MemoryLayout<Int64>.size else { return 0 }
        return decode(bytes, stride, count, values, times.map(UnsafeMutableRawBufferPointer.init), clockOffset)
    }

    private func decode(
        _ bytes: UnsafeRawBufferPointer, _ stride: Int, _ count: Int,
        _ values: UnsafeMutableBufferPointer<SIMD3<Double>>, _ times: UnsafeMutableRawBufferPointer?,
        _ clockOffset: Int64
    ) -> Int {
        guard stride >= minimumStride, stride > 0, count > 0, let start = bytes.baseAddress,
            let output = values.baseAddress
        else { return 0 }
        var total = min(count, bytes.count / stride, values.count)
        if let times { total = min(total, times.count / MemoryLayout<Int64>.size) }
        var scans = IIOScans(start: start, stride: stride, count: total)
        if let timestampElement, let target = times?.baseAddress {
            scans.timestamps = IIOScans.Timestamps(
                offset: timestampElement.offset, isBigEndian: timestampElement.format.isBigEndian,
                clockOffset: clockOffset, output: target)
        }
        if let packed {
            packed.convert(scans, to: UnsafeMutableRawPointer(output))
        } else {
            convert(scans, to: UnsafeMutableRawPointer(output))
        }
        return total
    }

    /// Converts the axes one by one, for layouts with gaps, mixed sizes or unsigned numbers.
    private func convert(_ scans: IIOScans, to output: UnsafeMutableRawPointer) {
        if axisConverters.count == 1 {
            output.initializeMemory(as: SIMD3<Double>.self, repeating: .zero, count: scans.count)
        }
        for (index, converter) in axisConverters.enumerated() {
            converter.convert(
                scans.start, stride: scans.stride, count: scans.count,
                to: output + index * MemoryLayout<Double>.stride, step: MemoryLayout<SIMD3<Double>>.stride)
        }
        scans.convertTimestamps()
    }
}

/// The scans in a buffer and the destination of their timestamps. The bounds must be checked before this value is
/// created.
struct IIOScans {
    struct Timestamps {
        var offset: Int
        var isBigEndian: Bool
        var clockOffset: Int64
        /// A buffer for one `Int64` per scan.
        var output: UnsafeMutableRawPointer
    }

    var start: UnsafeRawPointer
    var stride: Int
    var count: Int
    var timestamps: Timestamps?

    func convertTimestamps() {
        guard let timestamps else { return }
        var source = start + timestamps.offset
        var target = timestamps.output
        for _ in 0..<count {
            let stored = source.loadUnaligned(as: Int64.self)
            let stamp = timestamps.isBigEndian ? Int64(bigEndian: stored) : Int64(littleEndian: stored)
            // A timestamp can have any value, so the addition wraps around instead of trapping.
            target.storeBytes(of: stamp &+ timestamps.clockOffset, as: Int64.self)
            source += stride
            target += MemoryLayout<Int64>.stride
        }
    }
}
