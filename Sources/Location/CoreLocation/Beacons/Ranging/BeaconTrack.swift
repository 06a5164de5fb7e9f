// SPDX-License-Identifier: Apache-2.0

import DeviceCore

struct BeaconTrack: Sendable {
    /// The time for which a signal strength is used, in seconds. With 6 dB of noise and one packet per second, a window
    /// of 5 s classifies a stationary beacon correctly in 97 % of the reports, and detects within four seconds that a
    /// beacon is carried away. With 2 s, 87 % of the reports are correct. With 20 s, as in the AltBeacon library,
    /// detection takes fifteen seconds. (Measured with synthetic signal strengths, 0.25 to 6 m.)
    static let window = 5.0
    /// The divisor for the trimmed mean. A tenth of the values is discarded at either end, as in the AltBeacon library.
    static let trimDivisor = 10
    /// The maximum number of stored signal strengths. If it is reached, the oldest is dropped.
    static let limit = 128
    /// The time without a packet after which the distance is reported as unknown, in seconds.
    static let distanceTimeout = 2.0
    /// The time without a packet after which the beacon is removed, in seconds, as in the AltBeacon library.
    static let removalTimeout = 5.0

    let identity: BeaconIdentity
    private(set) var lastTime: BootTime
    private var measuredPower: Int8
    /// In chronological order.
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
        // If the transmission power of the beacon has changed, earlier signal strengths are not comparable.
        if measuredPower != sighting.measuredPower { strengths = [] }
        measuredPower = sighting.measuredPower
        guard let rssi = sighting.rssi else { return }
        if strengths.count >= Self.limit { strengths.removeFirst() }
        strengths.append((lastTime, rssi))
        strengthsSinceReport.sum += Int(rssi)
        strengthsSinceReport.count += 1
    }

    /// Returns the values to report, or nil if the beacon has to be removed.
    mutating func report(now: BootTime) -> (proximity: CLProximity, accuracy: Double, rssi: Int)? {
        let silence = now.seconds(since: lastTime)
        guard silence < Self.removalTimeout else { return nil }
        defer { strengthsSinceReport = (0, 0) }
        let rssi =
            strengthsSinceReport.count > 0
            ? Int((Double(strengthsSinceReport.sum) / Double(strengthsSinceReport.count)).rounded()) : 0
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
        let kept = sorted[trimmed..<(sorted.count - trimmed)]
        let mean = Double(kept.reduce(0) { $0 + Int($1) }) / Double(kept.count)
        return BeaconDistance.metres(rssi: mean, measuredPower: measuredPower)
    }
}

enum BeaconDistance {
    /// The borders between immediate, near and far, in metres. Apple does not document them; these values were
    /// observed.
    static let borders = (immediate: 0.5, near: 3.0)
    /// The distance beyond a border at which the class changes, as a fraction of the border.
    static let hysteresis = 0.2

    /// Returns the distance in metres that corresponds to the free-space path loss (Friis): 10^((power - rssi) / 20).
    /// Up to 10 m, the result agrees to within a third with a curve fitted to values from iPhones (0.89976 r^7.7095 +
    /// 0.111 with r = rssi / power, Radius Networks). Returns nil if the beacon does not advertise its power at one
    /// metre: some beacons advertise 0.
    static func metres(rssi: Double, measuredPower: Int8) -> Double? {
        guard measuredPower < 0 else { return nil }
        return pow(10, (Double(measuredPower) - rssi) / 20)
    }

    /// Returns the class of a distance. The former class is kept unless the distance is clearly outside that class.
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
