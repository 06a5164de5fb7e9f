// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// A clock that combines times of day with dates, which sentences contain less often.
struct NMEAClock {
    static let day: Int64 = 86_400_000_000_000

    /// The midnight before the last time, in nanoseconds since 1970. Relative to an arbitrary midnight until a date is
    /// known.
    private var midnight: Int64 = 0
    private var timeOfDay: Int64?
    /// The certainty of the date, in ascending order.
    private enum DateQuality: Int {
        case none
        /// The date of a receiver that may not know the date yet: it has no fix, or reports the first date of GPS or of
        /// its own clock.
        case provisional
        case certain
    }

    private var dateQuality = DateQuality.none
    var hasDate: Bool { dateQuality != .none }
    /// True if a date is known that is not provisional.
    var hasCertainDate: Bool { dateQuality == .certain }
    /// The midnight before the first time; nil until a date is known.
    private(set) var firstMidnight: Int64?

    init(midnight: Int64?) {
        guard let midnight else { return }
        self.midnight = midnight
        firstMidnight = midnight
        dateQuality = .certain
    }

    /// The last time, in nanoseconds since 1970 or an arbitrary midnight; nil until a time is known.
    var last: Int64? { timeOfDay.map { midnight.addingSaturated($0) } }

    /// Updates the clock with the time of day and the date of an epoch, in nanoseconds; nil if the epoch has none.
    ///
    /// - Parameter isProvisional: True for a date that is only used until a date is known that is not provisional.
    mutating func advance(to time: Int64?, date: Int64?, isProvisional: Bool = false) {
        if let time {
            // A step of more than 12 hours crosses midnight: a step back leads to the next day, a step forward to the
            // previous day. Smaller steps stay within the day.
            if let last = timeOfDay {
                if time < last - Self.day / 2 { midnight = midnight.addingSaturated(Self.day) }
                if time > last + Self.day / 2 { midnight = midnight.subtractingSaturated(Self.day) }
            }
            timeOfDay = time
        }
        let found = isProvisional ? DateQuality.provisional : .certain
        guard let date, found.rawValue >= dateQuality.rawValue else { return }
        // The first date also determines the dates of all earlier times, including the midnights since the first time.
        if found != dateQuality {
            firstMidnight = date.subtractingSaturated(midnight.subtractingSaturated(firstMidnight ?? 0))
        }
        dateQuality = found
        midnight = date
    }
}
