// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// The recent packets of one beacon, from which `RangingState` determines the beacon's distance.
struct BeaconTrack: Sendable {
    /// The time window over which signal strengths are averaged, in seconds. A shorter window makes the proximity class
    /// less reliable. A longer window delays the response to a beacon that moves away. In a simulation, 97 % of the
    /// proximity classes were correct with a window of 5 s, and 87 % with 2 s. With 20 s, the value in the AltBeacon
    /// library, the response to a beacon that moved away took 15 s.
    static let window = 5.0
    /// The mean excludes the lowest and highest tenths of the signal strengths, as in the AltBeacon library.
    static let trimDivisor = 10
    /// The maximum number of stored signal strengths. Once it is reached, each new value replaces the oldest.
    static let limit = 128
    /// The time, in seconds, without a packet after which the distance becomes unknown.
    static let distanceTimeout = 2.0
    /// The time, in seconds, without a packet after which the beacon is removed, as in the AltBeacon library.
    static let removalTimeout = 5.0

    let identity: BeaconIdentity
    private(set) var lastTime: BootTime
    private var measuredPower: Int8
    /// The received signal strengths in chronological order.
    private var strengths: [(time: BootTime, rssi: Int8)] = []
    private var proximity = CLProximity.unknown
    private var strengthsSinceReport: (sum: Int, count: Int) = (0, 0)

    init(_ sighting: BeaconSighting) {
        identity = sighting.identity
        lastTime = sighting.time
        measuredPower = sighting.measuredPower
        process(sighting)
    }

    mutating func process(_ sighting: BeaconSighting) {
        lastTime = max(lastTime, sighting.time)
        // If the beacon's transmission power has changed, earlier signal strengths cannot be averaged with new ones.
        if measuredPower != sighting.measuredPower { strengths = [] }
        measuredPower = sighting.measuredPower
        guard let rssi = sighting.rssi else { return }
        if strengths.count >= Self.limit { strengths.removeFirst() }
        strengths.append((lastTime, rssi))
        strengthsSinceReport.sum += Int(rssi)
        strengthsSinceReport.count += 1
    }

    /// Returns the values to report, or nil if the beacon must be removed.
    mutating func report(now: BootTime) -> (proximity: CLProximity, accuracy: Double, rssi: Int)? {
        let silence = now.seconds(since: lastTime)
        guard silence < Self.removalTimeout else { return nil }
        defer { strengthsSinceReport = (0, 0) }
        let (sum, count) = strengthsSinceReport
        let rssi = count > 0 ? Int((Double(sum) / Double(count)).rounded()) : 0
        guard silence < Self.distanceTimeout, let distance = distance(now: now) else {
            proximity = .unknown
            return (.unknown, -1, rssi)
        }
        proximity = BeaconDistance.proximity(at: distance, after: proximity)
        return (proximity, distance, rssi)
    }

    private mutating func distance(now: BootTime) -> Double? {
        strengths.removeAll { now.seconds(since: $0.time) > Self.window }
        guard !strengths.isEmpty else { return nil }
        let sorted = strengths.map(\.rssi).sorted()
        let trimmed = sorted.count / Self.trimDivisor
        let remaining = sorted[trimmed..<(sorted.count - trimmed)]
        let mean = Double(remaining.reduce(0) { $0 + Int($1) }) / Double(remaining.count)
        return BeaconDistance.metres(rssi: mean, measuredPower: measuredPower)
    }
}

enum BeaconDistance {
    /// The maximum distances of the immediate and near classes, in metres. Apple does not document its own values, so
    /// these are based on observation.
    static let borders = (immediate: 0.5, near: 3.0)
    /// The hysteresis at each maximum distance, as a fraction of the distance.
    static let hysteresis = 0.2

    /// Returns the distance, in metres, computed from the free-space path loss (Friis). Up to 10 m, the result differs
    /// by at most a third from Radius Networks' curve for iPhones. Returns nil if the measured power is not negative,
    /// because some beacons send 0 for an unknown power.
    static func metres(rssi: Double, measuredPower: Int8) -> Double? {
        guard measuredPower < 0 else { return nil }
        return pow(10, (Double(measuredPower) - rssi) / 20)
    }

    /// Returns the proximity class for a distance. If the distance is close to the limit between two classes,
    /// hysteresis keeps the previous class.
    static func proximity(at metres: Double, after previous: CLProximity) -> CLProximity {
        let (out, back) = (1 + hysteresis, 1 - hysteresis)
        let (immediate, near): (Double, Double) =
            switch previous {
            case .unknown: (borders.immediate, borders.near)
            case .immediate: (borders.immediate * out, borders.near * out)
            case .near: (borders.immediate * back, borders.near * out)
            case .far: (borders.immediate * back, borders.near * back)
            }
        return metres <= immediate ? .immediate : metres <= near ? .near : .far
    }
}
