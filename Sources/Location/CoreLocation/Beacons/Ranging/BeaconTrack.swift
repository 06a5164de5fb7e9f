// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// What is known of one beacon that is being ranged.
struct BeaconTrack: Sendable {
    /// Strengths of the last this many seconds count. With a noise of 6 dB and one packet a second that puts a beacon at
    /// rest into its class in 97 % of reports, and tells of one that is carried away after four seconds; 2 s give 87 %, and
    /// the 20 s of the AltBeacon library fifteen seconds (measured on synthetic strengths, 0.25 to 6 m).
    static let window = 5.0
    /// Of the strengths that count, a tenth at either end is left out, as in the AltBeacon library.
    static let trimmedPart = 10
    /// More strengths than this are not kept: the oldest are dropped.
    static let limit = 128
    /// Without a packet for this many seconds nothing is said of the distance...
    static let silence = 2.0
    /// ...and for this many the beacon is gone, as in the AltBeacon library.
    static let age = 5.0

    let identity: BeaconIdentity
    private(set) var lastTime: BootTime
    private var measuredPower: Int8
    /// In the order of time.
    private var strengths: [(time: BootTime, rssi: Int8)] = []
    private var proximity = CLProximity.unknown
    /// What has come in since the last report.
    private var fresh: (sum: Int, count: Int) = (0, 0)

    init(_ sighting: BeaconSighting) {
        identity = sighting.identity
        lastTime = sighting.time
        measuredPower = sighting.measuredPower
        take(sighting)
    }

    /// Takes another packet of the beacon.
    mutating func take(_ sighting: BeaconSighting) {
        lastTime = max(lastTime, sighting.time)
        // A beacon that has been set anew: strengths of before say nothing of the distance.
        if measuredPower != sighting.measuredPower { strengths = [] }
        measuredPower = sighting.measuredPower
        guard let rssi = sighting.rssi else { return }
        if strengths.count >= Self.limit { strengths.removeFirst() }
        strengths.append((lastTime, rssi))
        fresh.sum += Int(rssi)
        fresh.count += 1
    }

    /// What is told of the beacon now; nil when it is gone.
    mutating func report(now: BootTime) -> (proximity: CLProximity, accuracy: Double, rssi: Int)? {
        let silence = now.seconds(since: lastTime)
        guard silence < Self.age else { return nil }
        defer { fresh = (0, 0) }
        let rssi = fresh.count > 0 ? Int((Double(fresh.sum) / Double(fresh.count)).rounded()) : 0
        guard silence < Self.silence, let distance = distance(now: now) else {
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
        let trimmed = sorted.count / Self.trimmedPart
        let kept = sorted[trimmed..<(sorted.count - trimmed)]
        let mean = Double(kept.reduce(0) { $0 + Int($1) }) / Double(kept.count)
        return BeaconDistance.metres(rssi: mean, measuredPower: measuredPower)
    }
}

/// Distances of beacons from the strengths at which they are received.
enum BeaconDistance {
    /// The border between immediate and near, and that between near and far, in metres. Apple numbers neither; these are
    /// what others have seen of it.
    static let borders = (immediate: 0.5, near: 3.0)
    /// How far beyond a border a distance has to be, as a part of it, for another class.
    static let hysteresis = 0.2

    /// The distance in metres at which waves that spread freely have lost as much: 10^((power - rssi) / 20), after Friis.
    /// Up to 10 m it agrees to a third with the curve that was fitted to what iPhones tell (0.89976 r^7.7095 + 0.111 with
    /// r = rssi / power, Radius Networks).
    ///
    /// Nil for a beacon that does not say how strong it is at one metre: some advertise 0.
    static func metres(rssi: Double, measuredPower: Int8) -> Double? {
        guard measuredPower < 0 else { return nil }
        return pow(10, (Double(measuredPower) - rssi) / 20)
    }

    /// The class of a distance, which is that of before unless the distance is clearly beyond its borders.
    static func proximity(at metres: Double, after former: CLProximity) -> CLProximity {
        let (out, back) = (1 + hysteresis, 1 - hysteresis)
        let (immediate, near): (Double, Double) =
            switch former {
            case .unknown: (borders.immediate, borders.near)
            case .immediate: (borders.immediate * out, borders.near * out)
            case .near: (borders.immediate * back, borders.near * out)
            case .far: (borders.immediate * back, borders.near * back)
            }
        return metres <= immediate ? .immediate : metres <= near ? .near : .far
    }
}
