// SPDX-License-Identifier: Apache-2.0

/// A reading as it is drawn.
package struct PlotPoint: Sendable, Hashable {
    /// Seconds from the start of the time axis.
    package var time: Double
    /// In the unit of its chart.
    package var value: Double
    /// How often the value has come round the circle since the first reading, as far as one can tell: between two readings
    /// it is taken to have gone the shorter way.
    package internal(set) var turn = 0

    package init(time: Double, value: Double) { (self.time, self.value) = (time, value) }

    /// False for what no axis can hold.
    package var isDrawable: Bool { abs(time) < 1e12 && abs(value) < 1e100 }

    /// The value as if the circle went on for ever.
    var unwound: Double { value + 360 * Double(turn) }
}

/// What the values of a chart are.
package enum PlotQuantity: Sendable {
    /// A number on a line.
    case plain
    /// A number that is never below zero, as a speed.
    case amount
    /// Degrees from -180 to 180.
    case angle
    /// Degrees from 0 to 360, clockwise from north.
    case bearing

    /// The ends of the circle; nil for what does not come round.
    package var circle: ClosedRange<Double>? {
        switch self {
        case .plain, .amount: nil
        case .angle: -180...180
        case .bearing: 0...360
        }
    }
}
