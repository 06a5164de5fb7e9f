// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation

/// Accepts a heading if its direction or accuracy differs enough from that of the last accepted heading.
struct HeadingFilter: Sendable {
    private var last: CLHeading.Values?

    /// Returns whether the heading is accepted. An accepted heading becomes the reference for the next heading.
    /// - Parameter filter: The minimum change in direction, in degrees. If the value is zero, negative or NaN, every
    ///   heading is accepted.
    mutating func accept(_ values: CLHeading.Values, filter: Double) -> Bool {
        if filter > 0, let last, !hasTurned(values, last, by: filter), !hasAccuracyChanged(values, last) {
            return false
        }
        last = values
        return true
    }

    private func hasTurned(_ new: CLHeading.Values, _ old: CLHeading.Values, by filter: Double) -> Bool {
        let difference = abs(new.magneticHeading - old.magneticHeading)
        return min(difference, 360 - difference) >= filter
    }

    /// Returns true if the magnetic or true heading has become valid or invalid, or if the accuracy has changed by a
    /// factor of two or more.
    private func hasAccuracyChanged(_ new: CLHeading.Values, _ old: CLHeading.Values) -> Bool {
        let (was, now) = (old.headingAccuracy, new.headingAccuracy)
        if (was < 0) != (now < 0) || (old.trueHeading < 0) != (new.trueHeading < 0) { return true }
        return now >= 0 && (now <= was / 2 || now >= was * 2)
    }
}

/// Detects magnetic disturbances that last long enough to be reported as a failure.
struct DisturbanceDetector: Sendable {
    /// The duration after which a disturbance is reported, in seconds.
    static let minimumDuration = 5.0

    private var since: BootTime?
    private var isReported = false

    /// Returns true once per disturbance, after it has lasted for `minimumDuration`.
    mutating func update(isDisturbed: Bool, now: BootTime) -> Bool {
        guard isDisturbed else {
            self = DisturbanceDetector()
            return false
        }
        let start = since ?? now
        since = start
        guard !isReported, now.seconds(since: start) >= Self.minimumDuration else { return false }
        isReported = true
        return true
    }
}

/// Limits the rate of calibration prompts. A prompt is due each time headings become invalid, but is delayed until the
/// minimum interval since the previous one has elapsed.
struct CalibrationPromptLimiter: Sendable {
    /// The minimum interval between two prompts, in seconds.
    static let minimumInterval = 60.0

    private var isPrompted = false
    private var lastTime: BootTime?

    mutating func isDue(isTrusted: Bool, now: BootTime) -> Bool {
        if isTrusted {
            isPrompted = false
            return false
        }
        guard !isPrompted else { return false }
        if let lastTime, now.seconds(since: lastTime) < Self.minimumInterval { return false }
        isPrompted = true
        lastTime = now
        return true
    }
}

/// Checks whether the measured field strength depends on the device's heading. Magnetic parts in the device increase
/// the horizontal strength at one heading and decrease it at the opposite heading. The difference between these two
/// strengths determines the largest possible heading error. Turning the device once about the vertical axis is
/// therefore enough to verify a magnetometer.
struct FieldUniformity: Sendable {
    private static let sectors = 12
    /// The number of sectors that must have readings to determine `deviation`. A full turn is not required, because
    /// some vehicles cannot turn on the spot.
    private static let requiredSectors = 9
    /// The maximum amplitude of the variation in field strength, as a fraction of the mean.
    private static let limit = 0.25
    /// The weight of a new reading in the mean of its sector.
    private static let weight = 0.1

    /// The mean horizontal field strength in each sector. NaN if the sector has no readings.
    private var strengths = [Double](repeating: .nan, count: FieldUniformity.sectors)

    /// Adds a reading: the device's heading in degrees (0 ..< 360) and the horizontal field strength in any unit.
    mutating func add(heading: Double, horizontal: Double) {
        guard horizontal.isFinite, horizontal > 0, heading >= 0, heading < 360 else { return }
        let sector = min(Self.sectors - 1, Int(heading / 360 * Double(Self.sectors)))
        let mean = strengths[sector]
        strengths[sector] = mean.isNaN ? horizontal : mean + Self.weight * (horizontal - mean)
    }

    /// The maximum heading error, in degrees, that the device's own magnetic field can cause. nil if the field strength
    /// varies too much or has been measured at too few headings.
    var deviation: Double? {
        let measured = strengths.lazy.filter { !$0.isNaN }
        guard measured.count >= Self.requiredSectors, let least = measured.min(), let greatest = measured.max() else {
            return nil
        }
        // Let e and h be the horizontal strengths of the device's field and of the Earth's field. The readings then
        // range from h - e to h + e, and the heading error is at most asin(e / h).
        let ratio = (greatest - least) / (greatest + least)
        guard ratio <= Self.limit else { return nil }
        return asin(ratio) * 180 / .pi
    }
}
