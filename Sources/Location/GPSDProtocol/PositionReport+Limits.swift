// SPDX-License-Identifier: Apache-2.0

package import DeviceCore

extension PositionReport {
    /// Makes unknown what no receiver can have measured; see ``Values/refuseImpossibleValues()``.
    @discardableResult
    package mutating func refuseImpossibleValues() -> Int { ownStorage().values.refuseImpossibleValues() }
}

extension PositionReport.Values {
    /// Metres: from below the deepest ditch to beyond the satellites of every system.
    private static let lowest = -15_000.0, highest = 1e8
    /// Metres per second: more than leaves the earth.
    private static let fastest = 20_000.0
    /// Metres, degrees or metres per second: more than the earth is wide.
    private static let largestError = 1e8
    /// Metres: less than any receiver tells, with whatever corrections.
    private static let smallestError = 1e-4

    /// Makes unknown what no receiver can have measured, for sums that overflow and accuracies that promise too much are
    /// worse than none. Whoever decodes a report calls it once. Returns how many there were.
    @discardableResult
    package mutating func refuseImpossibleValues() -> Int {
        var count: UInt8 = 0
        Self.limit(&latitude, -90, 90, &count)
        Self.limit(&longitude, -180, 180, &count)
        Self.limit(&altitudeHAE, Self.lowest, Self.highest, &count)
        Self.limit(&altitudeMSL, Self.lowest, Self.highest, &count)
        Self.limit(&altitudeUndefined, Self.lowest, Self.highest, &count)
        // The geoid is within 110 m of the ellipsoid.
        Self.limit(&geoidSeparation, -1000, 1000, &count)
        Self.limit(&depth, Self.lowest, Self.highest, &count)
        Self.limit(&track, -360, 360, &count)
        Self.limit(&magneticTrack, -360, 360, &count)
        Self.limit(&magneticVariation, -360, 360, &count)
        Self.limit(&speed, 0, Self.fastest, &count)
        Self.limit(&climb, -Self.fastest, Self.fastest, &count)
        Self.limit(&velocityNorth, -Self.fastest, Self.fastest, &count)
        Self.limit(&velocityEast, -Self.fastest, Self.fastest, &count)
        Self.limit(&velocityDown, -Self.fastest, Self.fastest, &count)
        // No position is exact: what is not known is left out by gpsd, and written as 0 by others.
        Self.limit(&horizontalError, Self.smallestError, Self.largestError, &count)
        Self.limit(&longitudeError, Self.smallestError, Self.largestError, &count)
        Self.limit(&latitudeError, Self.smallestError, Self.largestError, &count)
        Self.limit(&verticalError, Self.smallestError, Self.largestError, &count)
        Self.limit(&sphericalError, Self.smallestError, Self.largestError, &count)
        // gpsd itself writes 0 for these as long as it cannot tell them, so 0 is no mistake, and no accuracy either.
        Self.limit(&trackError, 0, Self.largestError, &count)
        Self.limit(&speedError, 0, Self.largestError, &count)
        Self.limit(&climbError, 0, Self.largestError, &count)
        return Int(count)
    }

    /// Leaves NaN as it is.
    @inline(__always)
    private static func limit(_ value: inout Double, _ least: Double, _ most: Double, _ count: inout UInt8) {
        guard value < least || value > most else { return }
        value = .nan
        count &+= 1
    }
}

extension SkyReport {
    /// Makes unknown what is no dilution of precision; see ``PositionReport/refuseImpossibleValues()``. A 0 is what receivers
    /// write that know none.
    @discardableResult
    package mutating func refuseImpossibleValues() -> Int {
        var count: UInt8 = 0
        Self.limit(&hdop, &count)
        Self.limit(&vdop, &count)
        Self.limit(&pdop, &count)
        Self.limit(&tdop, &count)
        Self.limit(&gdop, &count)
        Self.limit(&xdop, &count)
        Self.limit(&ydop, &count)
        return Int(count)
    }

    private static func limit(_ dilution: inout Double, _ count: inout UInt8) {
        if dilution < 0 || dilution > 1000 { count &+= 1 }
        if !(dilution > 0 && dilution <= 1000) { dilution = .nan }
    }
}

extension AttitudeReport {
    /// Makes angles unknown that are none; see ``PositionReport/refuseImpossibleValues()``.
    @discardableResult
    package mutating func refuseImpossibleValues() -> Int {
        var count: UInt8 = 0
        for angle in [heading, magneticHeading, pitch, roll, yaw, dip] where abs(angle) > 360 { count &+= 1 }
        if count > 0 {
            for angle in [\AttitudeReport.heading, \.magneticHeading, \.pitch, \.roll, \.yaw, \.dip]
            where abs(self[keyPath: angle]) > 360 { self[keyPath: angle] = .nan }
        }
        return Int(count)
    }
}
