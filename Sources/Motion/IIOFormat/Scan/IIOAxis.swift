// SPDX-License-Identifier: Apache-2.0

/// One axis of a sensor: a channel, and what turns its numbers into the unit of the sensor's kind.
package struct IIOAxis: Sendable, Equatable {
    /// The place of the channel in its device's list of channels.
    package var channel: Int
    /// The channel's id, for example "accel_x".
    package var channelID: String
    /// What a raw number, with the offset added, is multiplied by; 0 when the driver's scale cannot be used.
    package var scale: Double
    /// What is added to a raw number before it is scaled.
    package var offset: Double
    /// True when the channel is read through its `input` attribute, whose number is scaled already.
    package var isProcessed: Bool
    /// What the scaled number is multiplied by to come to the unit of the sensor's kind.
    package var unitFactor: Double

    /// An axis of those parts.
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

    /// The attribute to read for one value: "input" or "raw".
    package var attributeName: String { isProcessed ? "input" : "raw" }

    /// True when a value can be worked out at all.
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
