// SPDX-License-Identifier: Apache-2.0

/// The copy-on-write storage of a report.
extension PositionReport {
    /// The values of a report. Each value needs a documented property in `PositionReport`, and a line in `reset()`.
    @usableFromInline package struct Values: Sendable {
        @usableFromInline package var receiver: String = ""
        @usableFromInline package var mode: FixMode = FixMode.unknown
        @usableFromInline package var status: UInt8 = 0
        @usableFromInline package var time: WallTime?
        @usableFromInline package var arrival: BootTime = BootTime.zero
        @usableFromInline package var timeError: Double = Double.nan
        @usableFromInline package var latitude: Double = Double.nan
        @usableFromInline package var longitude: Double = Double.nan
        @usableFromInline package var altitudeHAE: Double = Double.nan
        @usableFromInline package var altitudeMSL: Double = Double.nan
        @usableFromInline package var altitudeUndefined: Double = Double.nan
        @usableFromInline package var geoidSeparation: Double = Double.nan
        @usableFromInline package var longitudeError: Double = Double.nan
        @usableFromInline package var latitudeError: Double = Double.nan
        @usableFromInline package var verticalError: Double = Double.nan
        @usableFromInline package var horizontalError: Double = Double.nan
        @usableFromInline package var sphericalError: Double = Double.nan
        @usableFromInline package var track: Double = Double.nan
        @usableFromInline package var magneticTrack: Double = Double.nan
        @usableFromInline package var magneticVariation: Double = Double.nan
        @usableFromInline package var speed: Double = Double.nan
        @usableFromInline package var climb: Double = Double.nan
        @usableFromInline package var trackError: Double = Double.nan
        @usableFromInline package var speedError: Double = Double.nan
        @usableFromInline package var climbError: Double = Double.nan
        @usableFromInline package var velocityNorth: Double = Double.nan
        @usableFromInline package var velocityEast: Double = Double.nan
        @usableFromInline package var velocityDown: Double = Double.nan
        @usableFromInline package var depth: Double = Double.nan
        @usableFromInline package var correctionAge: Double = Double.nan
        @usableFromInline package var correctionStation: Int32 = -1
        @usableFromInline package var leapSeconds: Int32 = -1
        @usableFromInline package var raw: [UInt8]?

        @inlinable package init() {}
    }

    /// Copy-on-write storage for the values, modified only while uniquely referenced.
    @usableFromInline package final class Storage: @unchecked Sendable {
        @usableFromInline @exclusivity(unchecked) package var values: Values

        @inlinable package init(_ values: Values) { self.values = values }

        /// Assigns each value individually, to avoid creating and copying a temporary `Values`.
        fileprivate func reset() {
            values.receiver = ""
            values.mode = FixMode.unknown
            values.status = 0
            values.time = nil
            values.arrival = BootTime.zero
            values.timeError = Double.nan
            values.latitude = Double.nan
            values.longitude = Double.nan
            values.altitudeHAE = Double.nan
            values.altitudeMSL = Double.nan
            values.altitudeUndefined = Double.nan
            values.geoidSeparation = Double.nan
            values.longitudeError = Double.nan
            values.latitudeError = Double.nan
            values.verticalError = Double.nan
            values.horizontalError = Double.nan
            values.sphericalError = Double.nan
            values.track = Double.nan
            values.magneticTrack = Double.nan
            values.magneticVariation = Double.nan
            values.speed = Double.nan
            values.climb = Double.nan
            values.trackError = Double.nan
            values.speedError = Double.nan
            values.climbError = Double.nan
            values.velocityNorth = Double.nan
            values.velocityEast = Double.nan
            values.velocityDown = Double.nan
            values.depth = Double.nan
            values.correctionAge = Double.nan
            values.correctionStation = -1
            values.leapSeconds = -1
            values.raw = nil
        }
    }

    @inlinable package mutating func uniqueStorage() -> Storage {
        if !isKnownUniquelyReferenced(&storage) { storage = Storage(storage.values) }
        return storage
    }

    /// Marks all of the report's values as missing and returns its storage, which no other report shares.
    package mutating func emptyStorage() -> Storage {
        if isKnownUniquelyReferenced(&storage) { storage.reset() } else { storage = Storage(Values()) }
        return storage
    }
}

extension PositionReport: CustomReflectable {
    /// The values, for use by `print` and `dump`.
    public var customMirror: Mirror {
        Mirror(self, children: Mirror(reflecting: storage.values).children, displayStyle: .struct)
    }
}
