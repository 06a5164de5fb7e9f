// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// The choice of the sampling rate to write for a requested rate.
enum RateSelection {
    /// The minimum rate if no rate is requested, in hertz. Some sensors start at 0 Hz and deliver nothing; others start
    /// at 1 Hz, so that a reading takes a second.
    static let minimumDefault = 10.0
    /// The maximum rate to request from a driver that does not list its rates, in hertz.
    static let maximumUnlistedRate = 100_000.0

    /// Returns the rate to write, in hertz; nil to keep the current rate. The requested rate is 0 for any rate and
    /// infinity for the maximum rate. The current rate is nil if it is unknown.
    static func rate(wanted: Double, offered: SensorRates, current: Double?) -> Double? {
        let rate: Double
        if wanted > 0 {
            rate = wanted
        } else {
            if let current, current >= minimumDefault { return nil }
            rate = minimumDefault
        }
        switch offered {
        case .unknown:
            // Without a list of rates, a rate is only written if it is finite and exceeds the current rate. If the
            // current rate is unknown, there is no attribute to write.
            guard rate.isFinite, let current, case let rate = min(rate, maximumUnlistedRate), current < rate else {
                return nil
            }
            return rate
        case .list(let rates):
            let usable = SensorRates.list(rates.filter { $0 > 0 })
            return rateIfChanged(usable.rate(atLeast: rate), current: current)
        case .range: return rateIfChanged(offered.rate(atLeast: rate), current: current)
        }
    }

    private static func rateIfChanged(_ rate: Double?, current: Double?) -> Double? {
        guard let rate, rate > 0 else { return nil }
        if let current, abs(current - rate) <= rate * 1e-6 { return nil }
        return rate
    }
}
