// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// The extent of a region: either a circle or the area in which beacons are received.
enum RegionShape: Sendable {
    case circle(CLRegion.Circle)
    case beacons(BeaconPattern)

    /// The maximum radius of a monitored circle, in metres, as on an iPhone.
    static let maximumRadius = 2_128_000.0
    /// The maximum length of an identifier in UTF-8 bytes. It limits the size of the file that stores the regions.
    static let maximumIdentifierLength = 1024

    init?(_ region: CLRegion) {
        switch region {
        case let region as CLBeaconRegion: self = .beacons(region.pattern)
        case let region as CLCircularRegion: self = .circle(.init(center: region.center, radius: region.radius))
        default:
            guard let circle = region.circle else { return nil }
            self = .circle(circle)
        }
    }

    /// If the shape cannot be monitored, returns an error with the reason and a remedy. Otherwise, returns nil.
    func problem(identifier: String) -> DeviceError? {
        guard identifier.utf8.count <= Self.maximumIdentifierLength else {
            return DeviceError(
                .notSupported,
                "The identifier of a region has \(identifier.utf8.count) bytes; the limit is \(Self.maximumIdentifierLength) bytes. Choose a shorter one."
            )
        }
        guard case .circle(let circle) = self else { return nil }
        guard CLLocationCoordinate2DIsValid(circle.center) else {
            return DeviceError(
                .notSupported,
                "The centre of the region \(identifier) is not a valid coordinate: latitude \(circle.center.latitude), longitude \(circle.center.longitude). Latitudes range from -90 to 90 degrees, longitudes from -180 to 180."
            )
        }
        guard circle.radius > 0, circle.radius <= Self.maximumRadius else {
            return DeviceError(
                .notSupported,
                "The region \(identifier) has a radius of \(circle.radius) m; it must be greater than 0 and at most \(Int(Self.maximumRadius)) m (maximumRegionMonitoringDistance)."
            )
        }
        return nil
    }

    var isCircle: Bool { if case .circle = self { true } else { false } }
}

/// Determines the state of a beacon region. The state becomes `inside` when a beacon is sighted, and `outside` after
/// `exitTimeout` without a sighting.
struct BeaconTracker: Sendable {
    /// If no beacon is sighted for this many seconds, the state becomes `outside`. The value was observed on Apple's
    /// platforms.
    static let exitTimeout = 30.0

    private(set) var state: CLRegionState
    /// The start of the current exit timeout. This is the time of the last sighting, unless the timeout has been
    /// restarted since.
    var absentSince: BootTime

    init(state: CLRegionState = .unknown, now: BootTime) {
        self.state = state
        absentSince = now
    }

    /// Records a sighting and returns whether the state has changed to inside.
    mutating func recordSighting(at time: BootTime) -> Bool {
        absentSince = max(absentSince, time)
        guard state != .inside else { return false }
        state = .inside
        return true
    }

    /// The time at which the state becomes `outside` unless a beacon is sighted. nil if the state is already `outside`.
    var deadline: BootTime? { state == .outside ? nil : absentSince.advanced(bySeconds: Self.exitTimeout) }

    /// Updates the state for the current time and returns whether it has changed to outside.
    mutating func expire(now: BootTime) -> Bool {
        guard let deadline, now >= deadline else { return false }
        state = .outside
        return true
    }
}
