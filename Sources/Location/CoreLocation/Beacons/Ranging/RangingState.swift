// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// An app's request to range beacons, either by constraint or by region.
enum RangingRequest {
    case constraint(CLBeaconIdentityConstraint)
    /// A request made through the deprecated API.
    case region(CLBeaconRegion)

    var pattern: BeaconPattern {
        switch self {
        case .constraint(let constraint): constraint.pattern
        case .region(let region): region.pattern
        }
    }

    func isSame(as other: RangingRequest) -> Bool {
        switch (self, other) {
        case (.constraint(let one), .constraint(let two)): one.pattern == two.pattern
        case (.region(let one), .region(let two)): one.identifier == two.identifier
        case (.constraint, .region), (.region, .constraint): false
        }
    }
}

/// A manager's ranging requests and the beacons that satisfy them, protected by the lock of `LocationClient.state`.
struct RangingState {
    /// The interval between reports, in seconds.
    static let interval = 1.0
    /// The maximum number of tracked beacons. Once it is reached, each new beacon replaces the least recently received
    /// one.
    static let trackLimit = 1024

    /// The requests in the order in which they were started. Reports are delivered in the same order.
    private(set) var requests: [RangingRequest] = []
    private var tracks: [BeaconIdentity: BeaconTrack] = [:]
    /// The reason why no beacons can be received, or nil.
    private(set) var loss: DeviceError?

    /// Adds a request, or returns false if the same request already exists.
    mutating func start(_ request: RangingRequest) -> Bool {
        guard !requests.contains(where: request.isSame) else { return false }
        requests.append(request)
        return true
    }

    mutating func stop(_ request: RangingRequest) {
        requests.removeAll(where: request.isSame)
        tracks = tracks.filter { entry in requests.contains { $0.pattern.matches(entry.key) } }
    }

    mutating func reset() {
        tracks = [:]
        loss = nil
    }

    mutating func process(_ sighting: BeaconSighting) {
        // `BeaconTrack.process` returns no value, so the result is nil only if the beacon is not tracked yet.
        if tracks[sighting.identity]?.process(sighting) != nil { return }
        guard requests.contains(where: { $0.pattern.matches(sighting.identity) }) else { return }
        if tracks.count >= Self.trackLimit, let oldest = tracks.min(by: { $0.value.lastTime < $1.value.lastTime }) {
            tracks[oldest.key] = nil
        }
        tracks[sighting.identity] = BeaconTrack(sighting)
    }

    mutating func recordLoss(_ error: DeviceError) {
        reset()
        loss = error
    }

    mutating func clearLoss() { loss = nil }

    /// Returns each request with its beacons, nearest first. Returns an empty array while beacons cannot be received.
    mutating func reports(at clock: any DeviceClock) -> [(request: RangingRequest, beacons: [CLBeacon])] {
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
        values.sort(by: Self.precedes)
        let beacons = values.map { CLBeacon($0) }
        return requests.map { request in (request, beacons.filter { request.pattern.matches($0.values.identity) }) }
    }

    /// Orders beacons by distance, with unknown distances last. Beacons at equal distances are ordered by identity, so
    /// that the order is deterministic.
    private static func precedes(_ left: CLBeacon.Values, _ right: CLBeacon.Values) -> Bool {
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
