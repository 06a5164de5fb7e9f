// SPDX-License-Identifier: Apache-2.0

/// The position and conversion of one axis in a scan.
struct IIOAxisConverter: Sendable {
    /// The offset in the scan, in bytes.
    let offset: Int
    let format: IIODataFormat
    let conversion: IIOConversion

    /// The left shift that moves the sign to the top bit of the storage.
    var leftShift: Int { format.storageBits - format.bits - format.shift }
    /// The right shift that moves the least significant bit to the lowest bit.
    var rightShift: Int { format.storageBits - format.bits }
    /// The offset of the first byte after the axis.
    var end: Int { offset + format.byteCount }

    /// Converts the axis of `count` scans. Writes a `Double` every `step` bytes.
    func convert(_ scans: UnsafeRawPointer, stride: Int, count: Int, to output: UnsafeMutableRawPointer, step: Int) {
        switch (format.storageBits, format.isSigned) {
        case (8, true): convert(Int8.self, scans, stride, count, output, step)
        case (8, false): convert(UInt8.self, scans, stride, count, output, step)
        case (16, true): convert(Int16.self, scans, stride, count, output, step)
        case (16, false): convert(UInt16.self, scans, stride, count, output, step)
        case (32, true): convert(Int32.self, scans, stride, count, output, step)
        case (32, false): convert(UInt32.self, scans, stride, count, output, step)
        case (_, true): convert(Int64.self, scans, stride, count, output, step)
        case (_, false): convert(UInt64.self, scans, stride, count, output, step)
        }
    }

    @inline(__always)
    private func convert<Stored: FixedWidthInteger>(
        _ type: Stored.Type, _ scans: UnsafeRawPointer, _ stride: Int, _ count: Int, _ output: UnsafeMutableRawPointer,
        _ step: Int
    ) {
        let left = Stored(truncatingIfNeeded: leftShift)
        let right = Stored(truncatingIfNeeded: rightShift)
        let isBigEndian = format.isBigEndian
        let conversion = conversion
        var source = scans + offset
        var target = output
        for _ in 0..<count {
            let stored = source.loadUnaligned(as: Stored.self)
            let ordered = isBigEndian ? Stored(bigEndian: stored) : Stored(littleEndian: stored)
            // If all storage bits are used, both shifts are 0.
            let raw = (ordered &<< left) &>> right
            target.storeBytes(of: conversion.value(of: Double(raw)), as: Double.self)
            source += stride
            target += step
        }
    }
}
