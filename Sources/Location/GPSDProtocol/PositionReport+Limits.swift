// SPDX-License-Identifier: Apache-2.0

package import DeviceCore

extension PositionReport {
    /// See ``Values/discardOutOfRangeValues()``.
    @discardableResult
    package mutating func discardOutOfRangeValues() -> Int { uniqueStorage().values.discardOutOfRangeValues() }
}

extension PositionReport.Values {
    /// The limits of valid altitudes and depths, in metres. The range extends from below the ocean trenches to beyond
    /// the navigation satellites.
    private static let minimumAltitude = -15_000.0, maximumAltitude = 1e8
    /// The maximum valid speed, in metres per second. It is above the earth's escape velocity.
    private static let maximumSpeed = 20_000.0
    /// The maximum valid error, in metres, degrees or metres per second. As a distance, it is larger than the earth.
    private static let maximumError = 1e8
    /// The minimum valid position error, in metres. Even with corrections, no receiver reports a smaller error.
    private static let minimumError = 1e-4

    /// Replaces implausible values with NaN and returns the number of replacements. Such values could cause overflows
    /// in calculations or suggest false accuracy.
    @discardableResult package mutating func discardOutOfRangeValues() -> Int {
        var count: UInt8 = 0
        Self.limit(&latitude, -90, 90, &count)
        Self.limit(&longitude, -180, 180, &count)
        Self.limit(&altitudeHAE, Self.minimumAltitude, Self.maximumAltitude, &count)
        Self.limit(&altitudeMSL, Self.minimumAltitude, Self.maximumAltitude, &count)
        Self.limit(&altitudeUndefined, Self.minimumAltitude, Self.maximumAltitude, &count)
        // The geoid is within 110 m of the ellipsoid.
        Self.limit(&geoidSeparation, -1000, 1000, &count)
        Self.limit(&depth, Self.minimumAltitude, Self.maximumAltitude, &count)
        Self.limit(&track, -360, 360, &count)
        Self.limit(&magneticTrack, -360, 360, &count)
        Self.limit(&magneticVariation, -360, 360, &count)
        Self.limit(&speed, 0, Self.maximumSpeed, &count)
        Self.limit(&climb, -Self.maximumSpeed, Self.maximumSpeed, &count)
        Self.limit(&velocityNorth, -Self.maximumSpeed, Self.maximumSpeed, &count)
        Self.limit(&velocityEast, -Self.maximumSpeed, Self.maximumSpeed, &count)
        Self.limit(&velocityDown, -Self.maximumSpeed, Self.maximumSpeed, &count)
        // A position error of 0 is invalid. gpsd omits unknown errors, but other programs write 0 instead.
        Self.limit(&horizontalError, Self.minimumError, Self.maximumError, &count)
        Self.limit(&longitudeError, Self.minimumError, Self.maximumError, &count)
        Self.limit(&latitudeError, Self.minimumError, Self.maximumError, &count)
        Self.limit(&verticalError, Self.minimumError, Self.maximumError, &count)
        Self.limit(&sphericalError, Self.minimumError, Self.maximumError, &count)
        // gpsd writes 0 for these errors until it knows them, so 0 is accepted.
        Self.limit(&trackError, 0, Self.maximumError, &count)
        Self.limit(&speedError, 0, Self.maximumError, &count)
        Self.limit(&climbError, 0, Self.maximumError, &count)
        return Int(count)
    }

    @inline(__always)
    private static func limit(_ value: inout Double, _ minimum: Double, _ maximum: Double, _ count: inout UInt8) {
        guard value < minimum || value > maximum else { return }
        value = .nan
        count &+= 1
    }
}

extension SkyReport {
    /// Replaces invalid dilutions of precision with NaN and returns their number. Valid values are greater than 0 and
    /// at most 1000. Zeros, which receivers write for unknown values, are replaced but not counted.
    @discardableResult package mutating func discardOutOfRangeValues() -> Int {
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
    /// Replaces angles beyond ±360° with NaN and returns the number of replacements.
    @discardableResult package mutating func discardOutOfRangeValues() -> Int {
        var count: UInt8 = 0
        for angle in [heading, magneticHeading, pitch, roll, yaw, dip] where abs(angle) > 360 { count &+= 1 }
        if count > 0 {
            for angle in [\AttitudeReport.heading, \.magneticHeading, \.pitch, \.roll, \.yaw, \.dip]
            where abs(self[keyPath: angle]) > 360 { self[keyPath: angle] = .nan }
        }
        return Int(count)
    }
}
