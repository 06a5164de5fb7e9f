// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// Makes instants of times of day: dates come now and then only.
struct NMEAClock {
    static let day: Int64 = 86_400_000_000_000

    /// The midnight before the last time, in nanoseconds since 1970; as long as no date is known, since some midnight.
    private var midnight: Int64 = 0
    private var timeOfDay: Int64?
    /// The certainty of the date, in ascending order.
    private enum Dating: Int {
        case none
        /// From a receiver that may not know the date yet: without a fix, or with the first date of GPS or its clock.
        case provisional
        case certain
    }

    private var dating = Dating.none
    /// True once a date is known.
    var isDated: Bool { dating != .none }
    /// True once a date that is not provisional is known.
    var hasCertainDate: Bool { dating == .certain }
    /// The midnight before the first time of all; nil while no date is known.
    private(set) var firstMidnight: Int64?

    init(midnight: Int64?) {
        guard let midnight else { return }
        self.midnight = midnight
        firstMidnight = midnight
        dating = .certain
    }

    /// The last instant; nil before the first.
    var last: Int64? { timeOfDay.map { midnight.addingSaturated($0) } }

    /// Takes a time, and a date when there is one.
    ///
    /// - Parameter isProvisional: True for a date that is used only until a certain one is known.
    mutating func advance(to time: Int64?, date: Int64?, isProvisional: Bool = false) {
        if let time {
            // From late to early, midnight was between. A small step back is a step back.
            if let last = timeOfDay {
                if time < last - Self.day / 2 { midnight = midnight.addingSaturated(Self.day) }
                if time > last + Self.day / 2 { midnight = midnight.subtractingSaturated(Self.day) }
            }
            timeOfDay = time
        }
        let found = isProvisional ? Dating.provisional : .certain
        guard let date, found.rawValue >= dating.rawValue else { return }
        // The first date also dates the earlier times, across any midnights in between.
        if found != dating {
            firstMidnight = date.subtractingSaturated(midnight.subtractingSaturated(firstMidnight ?? 0))
        }
        dating = found
        midnight = date
    }
}
