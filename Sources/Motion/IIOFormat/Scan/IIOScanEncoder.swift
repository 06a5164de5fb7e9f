// SPDX-License-Identifier: Apache-2.0

/// Encodes scans for a server or for raw buffer files. The inverse of ``IIOScanDecoder``.
package struct IIOScanEncoder: Sendable {
    package let layout: IIOScanLayout

    package init(layout: IIOScanLayout) { self.layout = layout }

    package func emptyScan() -> [UInt8] { [UInt8](repeating: 0, count: layout.sampleSize) }

    /// Returns a scan that contains the vectors and, if a timestamp channel is given, a timestamp in nanoseconds.
    package func encode(
        _ vectors: [(axes: [IIOAxis], value: SIMD3<Double>)], timestamp: Int64 = 0, timestampChannel: Int? = nil
    ) -> [UInt8] {
        var scan = emptyScan()
        scan.withUnsafeMutableBytes { bytes in
            for (axes, value) in vectors { write(value, of: axes, into: bytes) }
            if let timestampChannel { write(raw: timestamp, of: timestampChannel, into: bytes) }
        }
        return scan
    }

    /// Writes a vector in the sensor's unit. Returns false if an axis is not in the layout. Values are rounded to the
    /// nearest raw number and clamped to the format's range. NaN is written as 0.
    @discardableResult
    package func write(_ value: SIMD3<Double>, of axes: [IIOAxis], into scan: UnsafeMutableRawBufferPointer) -> Bool {
        var isComplete = axes.count <= 3
        for (index, axis) in axes.prefix(3).enumerated() {
            guard let element = layout.element(of: axis.channel) else {
                isComplete = false
                continue
            }
            let raw = element.format.raw(nearest: axis.number(for: value[index]))
            if !put(raw, at: element, into: scan) { isComplete = false }
        }
        return isComplete
    }

    /// Writes a raw number, such as a timestamp. Returns false if the channel is not in the layout.
    @discardableResult
    package func write(raw: Int64, of channel: Int, into scan: UnsafeMutableRawBufferPointer) -> Bool {
        guard let element = layout.element(of: channel) else { return false }
        return put(element.format.clamped(raw), at: element, into: scan)
    }

    private func put(_ raw: UInt64, at element: IIOScanLayout.Element, into scan: UnsafeMutableRawBufferPointer) -> Bool
    {
        let format = element.format
        guard element.offset >= 0, scan.count >= element.end else { return false }
        let stored = raw << UInt64(format.shift)
        let size = format.storageBits / 8
        for index in 0..<size {
            let byte = UInt8(truncatingIfNeeded: stored >> UInt64(8 * index))
            scan[element.offset + (format.isBigEndian ? size - 1 - index : index)] = byte
        }
        return true
    }
}
