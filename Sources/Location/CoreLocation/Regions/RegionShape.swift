// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// What the device can be inside of.
enum RegionShape: Sendable {
    case circle(CLRegion.Circle)
    /// Where beacons of that kind are heard.
    case beacons(BeaconPattern)

    /// The largest radius of a circle that is monitored, in metres: what Apple's manager says.
    static let maximumRadius = 2_128_000.0
    /// The longest identifier, in bytes of UTF-8: it is kept in a small file.
    static let maximumIdentifier = 1024

    /// The shape of a region; nil for one that has none.
    init?(_ region: CLRegion) {
        switch region {
        case let region as CLBeaconRegion: self = .beacons(region.pattern)
        case let region as CLCircularRegion: self = .circle(.init(center: region.center, radius: region.radius))
        default:
            guard let circle = region.circle else { return nil }
            self = .circle(circle)
        }
    }

    /// Why nothing can be monitored with it, and what to do; nil when it can.
    func problem(identifier: String) -> DeviceError? {
        guard identifier.utf8.count <= Self.maximumIdentifier else {
            return DeviceError(
                .notSupported,
                "The identifier of a region has \(identifier.utf8.count) bytes, and may have \(Self.maximumIdentifier). Choose a shorter one."
            )
        }
        guard case .circle(let circle) = self else { return nil }
        guard CLLocationCoordinate2DIsValid(circle.center) else {
            return DeviceError(
                .notSupported,
                "The centre of the region \(identifier) is no place: latitude \(circle.center.latitude), longitude \(circle.center.longitude). Latitudes go from -90 to 90 degrees, longitudes from -180 to 180."
            )
        }
        guard circle.radius > 0, circle.radius <= Self.maximumRadius else {
            return DeviceError(
                .notSupported,
                "The region \(identifier) has a radius of \(circle.radius) m; it has to be above 0 and at most \(Int(Self.maximumRadius)) m (maximumRegionMonitoringDistance)."
            )
        }
        return nil
    }

    /// True when it needs the position.
    var isCircle: Bool { if case .circle = self { true } else { false } }
}

/// On which side of "heard" the device is: inside from the first sighting on, outside when none has come for a while.
struct BeaconTracker: Sendable {
    /// Seconds without a sighting that make the device outside, as seen with Apple's.
    static let patience = 30.0

    private(set) var state: CLRegionState
    /// Since when nothing has been heard.
    var quietSince: BootTime

    init(state: CLRegionState = .unknown, now: BootTime) {
        self.state = state
        quietSince = now
    }

    /// A beacon was heard; true when the device was not inside before.
    mutating func hear(at time: BootTime) -> Bool {
        quietSince = max(quietSince, time)
        guard state != .inside else { return false }
        state = .inside
        return true
    }

    /// When it will be outside unless something is heard; nil when it is already.
    var deadline: BootTime? { state == .outside ? nil : quietSince.advanced(bySeconds: Self.patience) }

    /// Time has passed; true when the device is outside now and was not before.
    mutating func look(now: BootTime) -> Bool {
        guard let deadline, now >= deadline else { return false }
        state = .outside
        return true
    }
}
