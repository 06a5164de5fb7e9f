// SPDX-License-Identifier: Apache-2.0

/// Converts three adjacent axes with the same signed format at once. Most drivers use this layout.
struct IIOPackedAxes: Sendable {
    private let offset: Int
    private let format: IIODataFormat
    private let conversion: IIOConversion<SIMD4<Double>>

    /// Returns nil if the axes are not adjacent, or if their formats differ or are not supported.
    init?(_ converters: [IIOAxisConverter]) {
        guard converters.count == 3, let first = converters.first, first.format.isSigned,
            first.format.storageBits == 16 || first.format.storageBits == 32
        else { return nil }
        let step = first.format.byteCount
        for (index, converter) in converters.enumerated() {
            guard converter.format == first.format, converter.offset == first.offset + index * step else { return nil }
        }
        offset = first.offset
        format = first.format
        let axes = converters.map(\.conversion)
        conversion = IIOConversion(
            offset: SIMD4(axes[0].offset, axes[1].offset, axes[2].offset, 0),
            factor: SIMD4(axes[0].factor, axes[1].factor, axes[2].factor, 0))
    }

    func convert(_ scans: IIOScans, to output: UnsafeMutableRawPointer) {
        // Each format has its own loop, to keep conditions out of the loops.
        switch (format.storageBits, format.isBigEndian) {
        case (16, false): convert(scans, output, ordered: Int16.init(littleEndian:))
        case (16, true): convert(scans, output, ordered: Int16.init(bigEndian:))
        case (_, false): convert(scans, output, ordered: Int32.init(littleEndian:))
        case (_, true): convert(scans, output, ordered: Int32.init(bigEndian:))
        }
    }

    @inline(__always)
    private func convert<Stored: FixedWidthInteger>(
        _ scans: IIOScans, _ output: UnsafeMutableRawPointer, ordered: (Stored) -> Stored
    ) {
        let format = format
        if format.bits == format.storageBits {
            convertEach(scans, output, ordered)
        } else {
            convertEach(scans, output) { format.raw(of: ordered($0)) }
        }
    }

    @inline(__always)
    private func convertEach<Stored: FixedWidthInteger>(
        _ scans: IIOScans, _ output: UnsafeMutableRawPointer, _ raw: (Stored) -> Stored
    ) {
        let (conversion, stride) = (conversion, scans.stride)
        var source = scans.start + offset
        var target = output
        guard let stamps = scans.timestamps, !stamps.isBigEndian, stamps.offset > offset else {
            for _ in 0..<scans.count {
                Self.axes(source, conversion, raw, reads: 3).store(target)
                source += stride
                target += MemoryLayout<SIMD3<Double>>.stride
            }
            scans.convertTimestamps()
            return
        }
        // Convert the axes and the timestamps in one loop, so that each scan is loaded from memory only once. The
        // vector's fourth component is loaded from the bytes after the third axis. This is safe, because the eight-byte
        // timestamp follows the axes.
        let timestampDistance = stamps.offset - offset
        let clockOffset = stamps.clockOffset
        var stampTarget = stamps.output
        for _ in 0..<scans.count {
            // Reading four 32-bit numbers is no faster than reading three.
            Self.axes(source, conversion, raw, reads: Stored.bitWidth == 16 ? 4 : 3).store(target)
            let stamp = Int64(littleEndian: source.loadUnaligned(fromByteOffset: timestampDistance, as: Int64.self))
            stampTarget.storeBytes(of: stamp &+ clockOffset, as: Int64.self)
            source += stride
            target += MemoryLayout<SIMD3<Double>>.stride
            stampTarget += MemoryLayout<Int64>.stride
        }
    }

    /// Converts one scan to a vector whose fourth component is always 0, because its conversion factor is 0.
    @inline(__always)
    private static func axes<Stored: FixedWidthInteger>(
        _ source: UnsafeRawPointer, _ conversion: IIOConversion<SIMD4<Double>>, _ raw: (Stored) -> Stored,
        reads count: Int
    ) -> SIMD4<Double> {
        let size = MemoryLayout<Stored>.size
        let x = raw(source.loadUnaligned(as: Stored.self))
        let y = raw(source.loadUnaligned(fromByteOffset: size, as: Stored.self))
        let z = raw(source.loadUnaligned(fromByteOffset: 2 * size, as: Stored.self))
        let fourth = count > 3 ? raw(source.loadUnaligned(fromByteOffset: 3 * size, as: Stored.self)) : 0
        return conversion.value(of: SIMD4(Double(x), Double(y), Double(z), Double(fourth)))
    }
}

extension SIMD4<Double> {
    /// Stores the vector as a `SIMD3<Double>`, which has the same size in memory.
    @inline(__always)
    fileprivate func store(_ target: UnsafeMutableRawPointer) { target.storeBytes(of: self, as: SIMD4<Double>.self) }
}
