// SPDX-License-Identifier: Apache-2.0

/// A sensor axis, with its channel and the conversion from raw numbers to the sensor's unit.
package struct IIOAxis: Sendable, Equatable {
    package var channel: Int
    package var channelID: String
    /// The factor to apply to the sum of the raw number and the offset, or 0 if the driver's scale is invalid.
    package var scale: Double
    package var offset: Double
    /// True if the channel is read from its `input` attribute, whose value is already scaled.
    package var isProcessed: Bool

    package init(channel: Int, channelID: String, scale: Double = 1, offset: Double = 0, isProcessed: Bool = false) {
        self.channel = channel
        self.channelID = channelID
        self.scale = scale
        self.offset = offset
        self.isProcessed = isProcessed
    }

    package var attributeName: String { isProcessed ? "input" : "raw" }
    package var isUsable: Bool { isProcessed || (scale != 0 && scale.isFinite && offset.isFinite) }

    var conversion: IIOConversion<Double> {
        // The offset is -0.0, because adding it leaves every number unchanged, even -0.0.
        isProcessed ? IIOConversion(offset: -0.0, factor: 1) : IIOConversion(offset: offset, factor: scale)
    }

    /// Converts a number read from the channel to the sensor's unit. Returns NaN if the axis is not usable.
    package func value(of number: Double) -> Double { isUsable ? conversion.value(of: number) : .nan }

    /// The inverse of ``value(of:)``. The result is not rounded to an integer. Returns NaN if the axis is not usable.
    package func number(for value: Double) -> Double { isUsable ? value / conversion.factor - conversion.offset : .nan }
}

/// The conversion from raw numbers to the sensor's unit: (raw + offset) × factor. `Number` is a `Double` for one axis,
/// or a vector for several axes.
struct IIOConversion<Number: IIOOperand & Sendable>: Sendable {
    let offset: Number
    let factor: Number

    @inline(__always)
    func value(of raw: Number) -> Number { (raw + offset) * factor }
}

protocol IIOOperand {
    static func + (left: Self, right: Self) -> Self
    static func * (left: Self, right: Self) -> Self
}

extension Double: IIOOperand {}
extension SIMD4<Double>: IIOOperand {}

/// Converts one axis of the scans in a buffer. The caller checks the bounds.
struct IIOAxisConverter: Sendable {
    let offset: Int
    let format: IIODataFormat
    let conversion: IIOConversion<Double>

    var end: Int { offset + format.byteCount }

    /// Converts the axis in `count` scans and writes a `Double` every `step` bytes.
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
        let (format, conversion) = (format, conversion)
        var source = scans + offset
        var target = output
        for _ in 0..<count {
            let stored = source.loadUnaligned(as: Stored.self)
            let raw = format.raw(of: format.isBigEndian ? Stored(bigEndian: stored) : Stored(littleEndian: stored))
            target.storeBytes(of: conversion.value(of: Double(raw)), as: Double.self)
            source += stride
            target += step
        }
    }
}
