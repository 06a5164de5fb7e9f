// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// The choice of the sampling rate to write for a requested rate.
enum RateChoice {
    /// The minimum rate if no rate is requested, in hertz. Some sensors start at 0 Hz and deliver nothing; others start
    /// at 1 Hz, so that a reading takes a second.
    static let leastDefault = 10.0
    /// The maximum rate to request from a driver that does not list its rates, in hertz.
    static let greatestGuess = 100_000.0

    /// Returns the rate to write, in hertz; nil to keep the current rate.
    ///
    /// - Parameters:
    ///   - wanted: The requested rate, in hertz; 0 for any rate, infinity for the maximum rate.
    ///   - offered: The rates that the driver offers.
    ///   - current: The current rate, in hertz; nil if it is unknown.
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
            // Without a list of rates, a rate is only written if it is finite and exceeds the current rate. If the
            // current rate is unknown, there is no attribute to write.
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
