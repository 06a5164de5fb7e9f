// SPDX-License-Identifier: Apache-2.0

package import DeviceCore

/// Takes the samples of one sensor out of scans, straight from the bytes of a buffer.
///
/// A value is (raw + offset) × scale of its axis, in the unit of the sensor's kind and in the sensor's axes. Nothing
/// is allocated, and bounds are looked at once a call. It may be used from any thread.
package struct IIOScanDecoder: Sendable {
    /// True when the scans carry time stamps that can be read.
    package let hasTimestamps: Bool
    /// The least number of bytes that a scan must have.
    package let minimumStride: Int

    private let lanes: [IIOScanLane]
    private let packed: IIOPackedAxes?
    private let stamp: IIOScanLayout.Element?

    /// A decoder for one or three axes.
    ///
    /// Nil when there is another number of them, an axis is not in the layout or is no single number, or its scale
    /// cannot be used. A time stamp that is not in the layout or has not 64 bits is left out.
    package init?(layout: IIOScanLayout, axes: [IIOAxis], timestampChannel: Int?) {
        guard axes.count == 1 || axes.count == 3 else { return nil }
        var lanes: [IIOScanLane] = []
        for axis in axes {
            guard let element = layout.element(of: axis.channel), element.format.count == 1, axis.isUsable else {
                return nil
            }
            lanes.append(IIOScanLane(offset: element.offset, format: element.format, conversion: axis.conversion))
        }
        self.lanes = lanes
        packed = IIOPackedAxes(lanes)
        stamp = timestampChannel.flatMap { layout.element(of: $0) }.flatMap { element in
            let format = element.format
            return format.bits == 64 && format.count == 1 ? element : nil
        }
        hasTimestamps = stamp != nil
        minimumStride = max(lanes.map(\.end).max() ?? 0, stamp?.end ?? 0)
    }

    /// Decodes up to `count` scans that lie `stride` bytes apart, and their stamps in the driver's nanoseconds.
    ///
    /// Returns how many there were: no more than the bytes hold whole and than there is room for; 0 when the stride is
    /// too small for the layout. The components of a scalar behind the first are 0. Where the scans carry no time
    /// stamps, `timestamps` stays as it is.
    @discardableResult
    package func decode(
        _ bytes: UnsafeRawBufferPointer, stride: Int, count: Int, values: UnsafeMutableBufferPointer<SIMD3<Double>>,
        timestamps: UnsafeMutableBufferPointer<Int64>?
    ) -> Int {
        decode(bytes, stride, count, values, timestamps.map(UnsafeMutableRawBufferPointer.init), 0)
    }

    /// Decodes as the other form does; `clockOffset` nanoseconds are added to each stamp to come to the boot clock.
    @discardableResult
    package func decode(
        _ bytes: UnsafeRawBufferPointer, stride: Int, count: Int, values: UnsafeMutableBufferPointer<SIMD3<Double>>,
        times: UnsafeMutableBufferPointer<BootTime>?, clockOffset: Int64
    ) -> Int {
        // A BootTime is one Int64 and nothing else; should that ever change, no stamp is written.
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
        if let stamp, let target = times?.baseAddress {
            scans.stamps = IIOScans.Stamps(
                offset: stamp.offset, isBigEndian: stamp.format.isBigEndian, clockOffset: clockOffset, output: target)
        }
        if let packed {
            packed.convert(scans, to: UnsafeMutableRawPointer(output))
        } else {
            convert(scans, to: UnsafeMutableRawPointer(output))
        }
        return total
    }

    /// Axis by axis: for layouts with gaps, mixed widths or numbers without a sign.
    private func convert(_ scans: IIOScans, to output: UnsafeMutableRawPointer) {
        if lanes.count == 1 {
            output.initializeMemory(as: SIMD3<Double>.self, repeating: .zero, count: scans.count)
        }
        for (place, lane) in lanes.enumerated() {
            lane.convert(
                scans.start, stride: scans.stride, count: scans.count,
                to: output + place * MemoryLayout<Double>.stride, step: MemoryLayout<SIMD3<Double>>.stride)
        }
        scans.copyStamps()
    }
}
