// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation

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

/// Notices when the magnetic field is not the earth's for long.
struct DisturbanceWatch: Sendable {
    /// Seconds of disturbance on end that count as a failure.
    static let patience = 5.0

    private var since: BootTime?
    private var isTold = false

    /// True once for each disturbance, when it has lasted long enough.
    mutating func update(isDisturbed: Bool, now: BootTime) -> Bool {
        guard isDisturbed else {
            self = DisturbanceWatch()
            return false
        }
        let start = since ?? now
        since = start
        guard !isTold, now.seconds(since: start) >= Self.patience else { return false }
        isTold = true
        return true
    }
}

/// Decides when the program is asked whether a calibration may be shown: at the first heading that is not to be trusted,
/// and again when one is after others that were, but not every moment.
struct CalibrationQuestion: Sendable {
    /// Seconds from one question to the next.
    static let pause = 60.0

    private var isAsked = false
    private var lastTime: BootTime?

    /// True when the question is due.
    mutating func isDue(isTrusted: Bool, now: BootTime) -> Bool {
        if isTrusted {
            isAsked = false
            return false
        }
        guard !isAsked else { return false }
        if let lastTime, now.seconds(since: lastTime) < Self.pause { return false }
        isAsked = true
        lastTime = now
        return true
    }
}

/// Whether the magnetic field has the same strength whichever way the device points.
///
/// The earth's has; what a device carries with it makes the horizontal part longer in one direction and shorter in the
/// other, by as much as it can turn a heading. So a magnetometer that was calibrated in the factory, or a device that
/// only ever turns about one axis, proves itself by being turned round once.
struct FieldEvenness: Sendable {
    private static let sectors = 12
    /// Some of the circle may be missing: not every vehicle can turn round on the spot.
    private static let requiredSectors = 9
    /// More than this part of the field's own length is no evenness.
    private static let limit = 0.25
    /// What a reading counts in the mean of its sector.
    private static let weight = 0.1

    /// The mean of the horizontal field in each sector; NaN where nothing has been seen.
    private var strengths = [Double](repeating: .nan, count: FieldEvenness.sectors)

    /// Takes a reading: the direction of the device in degrees, 0 ..< 360, and the horizontal field in any unit.
    mutating func add(heading: Double, horizontal: Double) {
        guard horizontal.isFinite, horizontal > 0, heading >= 0, heading < 360 else { return }
        let sector = min(Self.sectors - 1, Int(heading / 360 * Double(Self.sectors)))
        let mean = strengths[sector]
        strengths[sector] = mean.isNaN ? horizontal : mean + Self.weight * (horizontal - mean)
    }

    /// Degrees by which a heading may be wrong because of the unevenness; nil when too little has been seen, or when
    /// there is too much of it.
    var deviation: Double? {
        let seen = strengths.lazy.filter { !$0.isNaN }
        guard seen.count >= Self.requiredSectors, let least = seen.min(), let greatest = seen.max() else { return nil }
        // A field e of the device's own across one h of the earth's reads h - e ... h + e and turns it by asin(e / h).
        let part = (greatest - least) / (greatest + least)
        guard part <= Self.limit else { return nil }
        return asin(part) * 180 / .pi
    }
}
