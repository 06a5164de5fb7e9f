// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// The sampling rates that a sensor offers, in hertz.
public enum SensorRates: Sendable, Hashable {
    /// The driver does not say.
    case unknown
    /// One of these, in rising order.
    case list([Double])
    /// From the least to the greatest in steps of that size; a step of 0 is any rate between.
    case range(minimum: Double, step: Double, maximum: Double)

    /// The rate to set for at least that many samples a second: the smallest that suffices, else the greatest there is.
    ///
    /// Asking for infinity gives the greatest. Nil when the driver does not say what it offers.
    public func rate(atLeast wanted: Double) -> Double? {
        switch self {
        case .unknown: return nil
        case .list(let rates): return rates.first { $0 >= wanted * (1 - 1e-9) } ?? rates.last
        case .range(let minimum, let step, let maximum):
            guard wanted > minimum else { return minimum }
            guard wanted < maximum else { return maximum }
            guard step > 0 else { return wanted }
            let steps = ((wanted - minimum) / step - 1e-9).rounded(.up)
            return min(minimum + steps * step, maximum)
        }
    }

    /// The greatest rate; nil when the driver does not say.
    public var greatest: Double? { rate(atLeast: .infinity) }
}
