// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// Which beacons a program has asked for, in the form in which it asked.
enum RangingWish {
    case constraint(CLBeaconIdentityConstraint)
    /// The former form.
    case region(CLBeaconRegion)

    var pattern: BeaconPattern {
        switch self {
        case .constraint(let constraint): constraint.pattern
        case .region(let region): region.pattern
        }
    }

    /// True when a program means the same: constraints have values, and regions names.
    func isSame(as other: RangingWish) -> Bool {
        switch (self, other) {
        case (.constraint(let one), .constraint(let two)): one.pattern == two.pattern
        case (.region(let one), .region(let two)): one.identifier == two.identifier
        case (.constraint, .region), (.region, .constraint): false
        }
    }
}

/// What one manager knows of the beacons that it ranges. A part of the manager's state.
struct RangingState {
    /// Seconds from one report to the next.
    static let interval = 1.0
    /// More beacons than this are not followed: the one that was heard longest ago makes way.
    static let trackLimit = 1024

    /// In the order in which they were started, which is the order of the reports.
    private(set) var wishes: [RangingWish] = []
    private var tracks: [BeaconIdentity: BeaconTrack] = [:]
    /// Why no beacon can be heard, while that is so.
    private(set) var loss: DeviceError?

    /// Begins to range; false when that goes on already.
    mutating func start(_ wish: RangingWish) -> Bool {
        guard !wishes.contains(where: wish.isSame) else { return false }
        wishes.append(wish)
        return true
    }

    /// Ends it.
    mutating func stop(_ wish: RangingWish) {
        wishes.removeAll(where: wish.isSame)
        tracks = tracks.filter { entry in wishes.contains { $0.pattern.matches(entry.key) } }
    }

    /// Nothing is heard any more, and nothing is known.
    mutating func forget() {
        tracks = [:]
        loss = nil
    }

    /// A beacon was heard.
    mutating func take(_ sighting: BeaconSighting) {
        if tracks[sighting.identity]?.take(sighting) != nil { return }
        guard wishes.contains(where: { $0.pattern.matches(sighting.identity) }) else { return }
        if tracks.count >= Self.trackLimit, let oldest = tracks.min(by: { $0.value.lastTime < $1.value.lastTime }) {
            tracks[oldest.key] = nil
        }
        tracks[sighting.identity] = BeaconTrack(sighting)
    }

    /// Beacons cannot be heard from here on.
    mutating func lose(_ error: DeviceError) {
        forget()
        loss = error
    }

    /// They can be again.
    mutating func regain() { loss = nil }

    /// What is told now: for each wish the beacons, the nearest first, those of unknown distance last. Empty while beacons
    /// cannot be heard.
    mutating func reports(at clock: any DeviceClock) -> [(wish: RangingWish, beacons: [CLBeacon])] {
        guard loss == nil else { return [] }
        let (now, wallTime) = (clock.now, clock.wallTime.sinceReferenceDate)
        var values: [CLBeacon.Values] = []
        for identity in tracks.keys {
            guard let report = tracks[identity]?.report(now: now), let time = tracks[identity]?.lastTime else {
                tracks[identity] = nil
                continue
            }
            values.append(
                CLBeacon.Values(
                    identity: identity, proximity: report.proximity, accuracy: report.accuracy, rssi: report.rssi,
                    timestamp: wallTime - now.seconds(since: time)))
        }
        values.sort(by: Self.isNearer)
        let beacons = values.map { CLBeacon($0) }
        return wishes.map { wish in
            (wish, beacons.filter { wish.pattern.matches($0.values.identity) })
        }
    }

    /// An order in which nothing is left to chance.
    private static func isNearer(_ left: CLBeacon.Values, _ right: CLBeacon.Values) -> Bool {
        func key(_ values: CLBeacon.Values) -> (Double, UInt64, UInt64, UInt16, UInt16) {
            let identity = values.identity
            return (
                values.accuracy < 0 ? .infinity : values.accuracy, identity.uuid.high, identity.uuid.low,
                identity.major, identity.minor
            )
        }
        return key(left) < key(right)
    }
}
