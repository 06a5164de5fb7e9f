// SPDX-License-Identifier: Apache-2.0

/// An axis of a sensor: a channel and the conversion of its numbers to the unit of the sensor's kind.
package struct IIOAxis: Sendable, Equatable {
    /// The index of the channel in the list of channels of its device.
    package var channel: Int
    /// The ID of the channel, for example "accel_x".
    package var channelID: String
    /// The factor that is applied to the sum of the raw number and the offset; 0 if the driver's scale is invalid.
    package var scale: Double
    /// The offset that is added to the raw number before scaling.
    package var offset: Double
    /// True if the channel is read from its `input` attribute, whose value is already scaled.
    package var isProcessed: Bool
    /// The factor that converts the scaled value to the unit of the sensor's kind.
    package var unitFactor: Double

    /// Creates an axis.
    package init(
        channel: Int, channelID: String, scale: Double = 1, offset: Double = 0, isProcessed: Bool = false,
        unitFactor: Double = 1
    ) {
        self.channel = channel
        self.channelID = channelID
        self.scale = scale
        self.offset = offset
        self.isProcessed = isProcessed
        self.unitFactor = unitFactor
    }

    /// The name of the attribute that contains the value: "input" or "raw".
    package var attributeName: String { isProcessed ? "input" : "raw" }

    /// True if values can be calculated.
    package var isUsable: Bool { isProcessed || (scale != 0 && scale.isFinite && offset.isFinite) }

    /// The conversion of the numbers of the attribute, which are raw, or scaled by the driver already.
    var conversion: IIOConversion {
        // An offset of -0.0 leaves every number as it is, also -0.0.
        isProcessed
            ? IIOConversion(offset: -0.0, factor: unitFactor)
            : IIOConversion(offset: offset, factor: scale * unitFactor)
    }

    /// Returns the value, in the unit of the sensor's kind, of a number that was read; NaN if the axis is not usable.
    package func value(of number: Double) -> Double { isUsable ? conversion.value(of: number) : .nan }

    /// Returns the number to be read for a value, not rounded: the inverse of ``value(of:)``.
    package func number(for value: Double) -> Double { isUsable ? conversion.raw(for: value) : .nan }
}

/// The conversion of the raw numbers of an axis into the unit of its sensor's kind: (raw + offset) × factor.
struct IIOConversion: Sendable {
    let offset: Double
    let factor: Double

    @inline(__always)
    func value(of raw: Double) -> Double { (raw + offset) * factor }

    /// The inverse of `value(of:)`, not rounded.
    func raw(for value: Double) -> Double { value / factor - offset }
}

/// The conversions of three axes at once. The fourth component is 0.
struct IIOVectorConversion: Sendable {
    private let offset: SIMD4<Double>
    private let factor: SIMD4<Double>

    init(_ x: IIOConversion, _ y: IIOConversion, _ z: IIOConversion) {
        offset = SIMD4(x.offset, y.offset, z.offset, 0)
        factor = SIMD4(x.factor, y.factor, z.factor, 0)
    }

    @inline(__always)
    func value(of raw: SIMD4<Double>) -> SIMD4<Double> { (raw + offset) * factor }
}
