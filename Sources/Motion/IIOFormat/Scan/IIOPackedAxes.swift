// SPDX-License-Identifier: Apache-2.0

/// Three axes that lie next to each other in one signed format, as most drivers have them: the fast way.
struct IIOPackedAxes: Sendable {
    /// The first byte of the first axis within the scan.
    private let offset: Int
    private let format: IIODataFormat
    private let conversion: IIOVectorConversion

    /// Nil when the axes do not lie so, and have to be taken one by one.
    init?(_ lanes: [IIOScanLane]) {
        guard lanes.count == 3, let first = lanes.first, first.format.isSigned,
            first.format.storageBits == 16 || first.format.storageBits == 32
        else { return nil }
        let step = first.format.byteCount
        for (place, lane) in lanes.enumerated() {
            guard lane.format == first.format, lane.offset == first.offset + place * step else { return nil }
        }
        offset = first.offset
        format = first.format
        conversion = IIOVectorConversion(lanes[0].conversion, lanes[1].conversion, lanes[2].conversion)
    }

    /// Converts `count` scans; writes one vector for each, and the time stamp with it.
    func convert(_ scans: IIOScans, to output: UnsafeMutableRawPointer) {
        // One loop each, so that none of them asks within.
        switch (format.storageBits, format.isBigEndian) {
        case (16, false): convert(scans, output, ordered: Int16.init(littleEndian:))
        case (16, true): convert(scans, output, ordered: Int16.init(bigEndian:))
        case (_, false): convert(scans, output, ordered: Int32.init(littleEndian:))
        case (_, true): convert(scans, output, ordered: Int32.init(bigEndian:))
        }
    }

    /// Leaves the shifts out where all bits count.
    @inline(__always)
    private func convert<Stored: FixedWidthInteger>(
        _ scans: IIOScans, _ output: UnsafeMutableRawPointer, ordered: (Stored) -> Stored
    ) {
        let (left, right) = (Stored(truncatingIfNeeded: left), Stored(truncatingIfNeeded: right))
        if right == 0 {
            convertEach(scans, output, ordered)
        } else {
            convertEach(scans, output) { (ordered($0) &<< left) &>> right }
        }
    }

    /// The shifts that cut a stored number to its bits and extend its sign.
    private var left: Int { format.storageBits - format.bits - format.shift }
    private var right: Int { format.storageBits - format.bits }

    @inline(__always)
    private func convertEach<Stored: FixedWidthInteger>(
        _ scans: IIOScans, _ output: UnsafeMutableRawPointer, _ raw: (Stored) -> Stored
    ) {
        let (conversion, stride) = (conversion, scans.stride)
        var source = scans.start + offset
        var target = output
        guard let stamps = scans.stamps, !stamps.isBigEndian, stamps.offset > offset else {
            for _ in 0..<scans.count {
                Self.axes(source, conversion, raw, reads: 3).store(target)
                source += stride
                target += MemoryLayout<SIMD3<Double>>.stride
            }
            scans.copyStamps()
            return
        }
        // In one loop with the stamps: each scan is fetched from memory once. As a stamp of eight bytes lies behind the
        // axes, there is room to read a fourth number, which makes a whole vector.
        let ahead = stamps.offset - offset
        let clockOffset = stamps.clockOffset
        var stampTarget = stamps.output
        for _ in 0..<scans.count {
            // Four numbers of 32 bits are no faster than three.
            Self.axes(source, conversion, raw, reads: Stored.bitWidth == 16 ? 4 : 3).store(target)
            let stamp = Int64(littleEndian: source.loadUnaligned(fromByteOffset: ahead, as: Int64.self))
            stampTarget.storeBytes(of: stamp &+ clockOffset, as: Int64.self)
            source += stride
            target += MemoryLayout<SIMD3<Double>>.stride
            stampTarget += MemoryLayout<Int64>.stride
        }
    }

    /// The fourth component is 0, whether a fourth number is read or not, as its factor is.
    @inline(__always)
    private static func axes<Stored: FixedWidthInteger>(
        _ source: UnsafeRawPointer, _ conversion: IIOVectorConversion, _ raw: (Stored) -> Stored, reads count: Int
    ) -> SIMD4<Double> {
        let size = MemoryLayout<Stored>.size
        let x = raw(source.loadUnaligned(as: Stored.self))
        let y = raw(source.loadUnaligned(fromByteOffset: size, as: Stored.self))
        let z = raw(source.loadUnaligned(fromByteOffset: 2 * size, as: Stored.self))
        let more = count > 3 ? raw(source.loadUnaligned(fromByteOffset: 3 * size, as: Stored.self)) : 0
        return conversion.value(of: SIMD4(Double(x), Double(y), Double(z), Double(more)))
    }
}

extension SIMD4<Double> {
    /// A vector of three takes the room of one of four.
    @inline(__always)
    fileprivate func store(_ target: UnsafeMutableRawPointer) { target.storeBytes(of: self, as: SIMD4<Double>.self) }
}
