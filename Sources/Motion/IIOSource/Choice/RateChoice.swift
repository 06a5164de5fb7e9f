// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// Which rate to write for a wish.
enum RateChoice {
    /// The slowest that a sensor is left at when nobody asks for a rate: some start at 0 Hz and give nothing, some at 1
    /// Hz, where a reading takes a second.
    static let leastDefault = 10.0
    /// The fastest that is asked of a driver that does not say what it offers.
    static let greatestGuess = 100_000.0

    /// The rate to write; nil to leave the one that is set.
    ///
    /// - wanted: hertz; 0 when any will do, infinite for the greatest.
    static func rate(wanted: Double, offered: SensorRates, current: Double?) -> Double? {
        let rate: Double
        if wanted > 0 {
            rate = wanted
        } else {
            if let current, current >= leastDefault { return nil }
            rate = leastDefault
        }
        switch offered {
        case .unknown:
            // What is not offered is only asked for when it is a number, and when there is such a knob at all.
            guard rate.isFinite, let current, case let rate = min(rate, greatestGuess), current < rate else {
                return nil
            }
            return rate
        case .list(let rates):
            let usable = SensorRates.list(rates.filter { $0 > 0 })
            return changed(usable.rate(atLeast: rate), current)
        case .range:
            return changed(offered.rate(atLeast: rate), current)
        }
    }

    private static func changed(_ rate: Double?, _ current: Double?) -> Double? {
        guard let rate, rate > 0 else { return nil }
        if let current, abs(current - rate) <= rate * 1e-6 { return nil }
        return rate
    }
}
