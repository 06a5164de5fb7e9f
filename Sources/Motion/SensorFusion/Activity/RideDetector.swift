// SPDX-License-Identifier: Apache-2.0

/// Detects riding in a vehicle or on a bicycle from the GNSS speed, steps and pedalling.
///
/// - Cycling begins after three consecutive pedalling windows at a current speed of 2.5 to 10 m/s, unless driving has
///   been detected.
/// - Driving begins immediately above 7 m/s, or after 20 s at 4 m/s or more. While cycling is detected, driving begins
///   only above 10 m/s.
/// - A ride ends after 60 s without a speed of at least 4 m/s, or after eight steps. Pedalling at 2.5 m/s or more also
///   sustains a bicycle ride.
///
/// No ride begins within 5 s of a step. The limits follow open-source trackers such as GeoPulse, which assume up to
/// 8 km/h on foot and 8 to 25 km/h (at most 35 km/h) on a bicycle.
struct RideDetector: Sendable {
    /// The speed above which a person cannot be on foot, in m/s.
    static let maximumOnFootSpeed = 7.0
    /// The minimum riding speed, in m/s.
    static let minimumRideSpeed = 4.0
    /// The speed below which a car is considered stationary, in m/s.
    static let maximumStationarySpeed = 0.5
    /// The minimum standard deviation of the acceleration magnitude while pedalling, in g.
    static let minimumPedallingDeviation = 0.05
    private static let bicycleSpeeds = 2.5...10.0
    private static let minimumPedallingRegularity = 0.5
    private static let minimumPedallingWindows = 3
    /// The time at `minimumRideSpeed` or more without steps after which driving is detected, in seconds.
    private static let rideStartDelay = 20.0
    /// The time after `lastRide` at which a ride ends, in seconds.
    private static let rideEndDelay = 60.0
    /// The time after a step during which no ride can begin, in seconds.
    private static let stepTime = 5.0
    private static let maximumStepsInRide = 8
    /// `.cycling` or `.automotive`, or nil if the person is not riding.
    private(set) var ride: CarriedActivity?
    /// The start of the current period with a speed of at least `minimumRideSpeed` and without recent steps, or nil if
    /// there is none.
    private var ridingSince: Double?
    /// The last time at which the speed and any pedalling indicated that the ride was continuing.
    private var lastRide = -Double.infinity
    private var lastStep = -Double.infinity
    /// The number of steps since the current ride began or, between rides, since the last one ended.
    private var stepsInRide = 0
    /// The number of consecutive pedalling windows, capped at `minimumPedallingWindows`. Updated once per window.
    private var pedallingWindows = 0

    mutating func record(steps: Int, at time: Double) {
        lastStep = time
        stepsInRide += steps
        if stepsInRide >= Self.maximumStepsInRide { end() }
    }

    mutating func restart() {
        end()
        (lastStep, pedallingWindows) = (-.infinity, 0)
    }

    private mutating func end() { (ride, ridingSince, stepsInRide) = (nil, nil, 0) }

    mutating func update(speed: Double?, pedalling regularity: Double, at time: Double) {
        let isOnFoot = time - lastStep < Self.stepTime
        pedallingWindows =
            regularity >= Self.minimumPedallingRegularity ? min(pedallingWindows + 1, Self.minimumPedallingWindows) : 0
        guard let speed, speed.isFinite else { return expire(time) }
        if isOnFoot || speed < Self.minimumRideSpeed { ridingSince = nil }
        if !isOnFoot, speed >= Self.minimumRideSpeed, ridingSince == nil { ridingSince = time }
        let isSustained = ridingSince.map { time - $0 >= Self.rideStartDelay } ?? false
        if !isOnFoot, Self.bicycleSpeeds.contains(speed), pedallingWindows >= Self.minimumPedallingWindows,
            ride != .automotive
        {
            begin(.cycling, time)
        } else if !isOnFoot, speed > Self.maximumOnFootSpeed || isSustained,
            !(ride == .cycling && speed <= Self.bicycleSpeeds.upperBound)
        {
            begin(.automotive, time)
        } else if ride != nil, speed >= Self.minimumRideSpeed {
            lastRide = time
        }
        expire(time)
    }

    private mutating func begin(_ new: CarriedActivity, _ time: Double) {
        if ride == nil { stepsInRide = 0 }
        ride = new
        lastRide = time
    }

    private mutating func expire(_ time: Double) {
        // A negative time difference means that the clock was set back, which also ends the ride.
        if ride != nil, !(0...Self.rideEndDelay).contains(time - lastRide) { end() }
    }
}
