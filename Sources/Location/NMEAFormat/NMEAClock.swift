// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// Adds the date to times of day, because most sentences with a time have no date.
struct NMEAClock {
    static let day: Int64 = 86_400_000_000_000

    /// Midnight at the start of the current day, in nanoseconds since 1970. Arbitrary until a date is known.
    private var midnight: Int64 = 0
    private var timeOfDay: Int64?
    /// The levels of date reliability, in ascending order.
    private enum DateQuality: Int {
        case none
        /// A date from a receiver that may not know the date, for example because it has no fix.
        case provisional
        case certain
    }

    private var dateQuality = DateQuality.none
    var hasDate: Bool { dateQuality != .none }
    var hasCertainDate: Bool { dateQuality == .certain }
    /// Midnight at the start of the first day, or nil until a date is known.
    private(set) var firstMidnight: Int64?

    init(midnight: Int64?) {
        guard let midnight else { return }
        self.midnight = midnight
        firstMidnight = midnight
        dateQuality = .certain
    }

    /// The time to which the clock was last advanced, in nanoseconds since 1970. nil until a time of day is known.
    var last: Int64? { timeOfDay.map { midnight.addingSaturated($0) } }

    /// Advances the clock to an epoch's time of day and date, both in nanoseconds. Either may be nil. A provisional
    /// date does not replace a certain one.
    mutating func advance(to time: Int64?, date: Int64?, isProvisional: Bool = false) {
        if let time {
            // If the time of day decreases by more than 12 hours, it belongs to the next day. If it increases by more
            // than 12 hours, it belongs to the previous day.
            if let last = timeOfDay {
                if time < last - Self.day / 2 { midnight = midnight.addingSaturated(Self.day) }
                if time > last + Self.day / 2 { midnight = midnight.subtractingSaturated(Self.day) }
            }
            timeOfDay = time
        }
        let found = isProvisional ? DateQuality.provisional : .certain
        guard let date, found.rawValue >= dateQuality.rawValue else { return }
        // Computes the date of the first day by subtracting the elapsed days from the new date. If the previous date
        // was already certain, the first day does not change. In that case, a difference between the two dates means
        // that days have passed without sentences.
        if dateQuality != .certain {
            firstMidnight = date.subtractingSaturated(midnight.subtractingSaturated(firstMidnight ?? 0))
        }
        dateQuality = found
        midnight = date
    }
}
