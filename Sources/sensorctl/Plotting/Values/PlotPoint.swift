// SPDX-License-Identifier: Apache-2.0

/// A reading in a chart.
package struct PlotPoint: Sendable, Hashable {
    /// The time in seconds from the start of the time axis.
    package var time: Double
    /// The value, in the unit of the chart.
    package var value: Double
    /// The number of turns around the circle since the first reading. Between two readings, the shorter way is assumed.
    package internal(set) var turn = 0

    package init(time: Double, value: Double) { (self.time, self.value) = (time, value) }

    /// False for values that no axis can show.
    package var isDrawable: Bool { abs(time) < 1e12 && abs(value) < 1e100 }

    /// The value plus 360° for each turn.
    var unwound: Double { value + 360 * Double(turn) }
}

/// The kind of a chart's values.
package enum PlotQuantity: Sendable {
    /// A number on a linear axis.
    case plain
    /// A number that is never negative, such as a speed.
    case amount
    /// An angle in degrees, -180...180.
    case angle
    /// An angle in degrees, 0...360, clockwise from north.
    case bearing

    /// The ends of a circular axis; nil for linear quantities.
    package var circle: ClosedRange<Double>? {
        switch self {
        case .plain, .amount: nil
        case .angle: -180...180
        case .bearing: 0...360
        }
    }
}
