// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// Lets a heading through when it is far enough from the last one that went through, or known clearly better or worse.
struct HeadingFilter: Sendable {
    private var last: CLHeading.Values?

    /// True when the heading goes through, which makes it the one to compare with.
    /// - Parameter filter: Degrees; zero, negative and NaN let every heading through.
    mutating func accept(_ values: CLHeading.Values, filter: Double) -> Bool {
        guard filter > 0, let last else {
            last = values
            return true
        }
        guard hasTurned(values, last, by: filter) || hasChangedWorth(values, last) else { return false }
        self.last = values
        return true
    }

    /// The next heading goes through.
    mutating func reset() {
        last = nil
    }

    private func hasTurned(_ new: CLHeading.Values, _ old: CLHeading.Values, by filter: Double) -> Bool {
        let turn = abs(new.magneticHeading - old.magneticHeading)
        return min(turn, 360 - turn) >= filter
    }

    /// A device at rest shall hear, too, that its compass can be used now, or not any more.
    private func hasChangedWorth(_ new: CLHeading.Values, _ old: CLHeading.Values) -> Bool {
        let (was, now) = (old.headingAccuracy, new.headingAccuracy)
        if (was < 0) != (now < 0) || (old.trueHeading < 0) != (new.trueHeading < 0) { return true }
        return now >= 0 && (now <= was / 2 || now >= was * 2)
    }
}
