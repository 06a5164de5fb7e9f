// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// Combines times of day with dates, which occur in fewer sentences.
struct NMEAClock {
    static let day: Int64 = 86_400_000_000_000

    /// The midnight before the last time, in nanoseconds since 1970, or relative to an arbitrary midnight until a date
    /// is known.
    private var midnight: Int64 = 0
    private var timeOfDay: Int64?
    /// The certainty of the date, in ascending order.
    private enum DateQuality: Int {
        case none
        /// A date from a receiver that may not know the date yet, because it has no fix or reports the first date of
        /// GPS or of its own clock.
        case provisional
        case certain
    }

    private var dateQuality = DateQuality.none
    var hasDate: Bool { dateQuality != .none }
    /// True if a date that is not provisional is known.
    var hasCertainDate: Bool { dateQuality == .certain }
    /// The midnight before the first time; nil until a date is known.
    private(set) var firstMidnight: Int64?

    init(midnight: Int64?) {
        guard let midnight else { return }
        self.midnight = midnight
        firstMidnight = midnight
        dateQuality = .certain
    }

    /// The last time, in nanoseconds since 1970 or since an arbitrary midnight; nil until a time is known.
    var last: Int64? { timeOfDay.map { midnight.addingSaturated($0) } }

    /// Updates the clock with an epoch's time of day and date, in nanoseconds. Either is nil if the epoch does not
    /// contain it.
    ///
    /// - Parameter isProvisional: True if the date is used only until a date that is not provisional is known.
    mutating func advance(to time: Int64?, date: Int64?, isProvisional: Bool = false) {
        if let time {
            // A step of more than 12 hours crosses midnight: a step back leads to the next day, a step forward to the
            // previous day. After a smaller step, the day is unchanged.
            if let last = timeOfDay {
                if time < last - Self.day / 2 { midnight = midnight.addingSaturated(Self.day) }
                if time > last + Self.day / 2 { midnight = midnight.subtractingSaturated(Self.day) }
            }
            timeOfDay = time
        }
        let found = isProvisional ? DateQuality.provisional : .certain
        guard let date, found.rawValue >= dateQuality.rawValue else { return }
        // The first date also determines the dates of all earlier times, based on the number of midnights since the
        // first time.
        if found != dateQuality {
            firstMidnight = date.subtractingSaturated(midnight.subtractingSaturated(firstMidnight ?? 0))
        }
        dateQuality = found
        midnight = date
    }
}
