// SPDX-License-Identifier: Apache-2.0

/// Detects riding in a vehicle or on a bicycle, from the speed of a GNSS receiver, from steps and from pedalling.
///
/// The speeds are those of the classifiers of open-source trackers such as GeoPulse: a bicycle moves at 8 to 25 km/h,
/// at most 35 km/h, and a pedestrian at up to 8 km/h.
struct VehicleRule: Sendable {
    /// The speed above which a person is not on foot, in m/s.
    static let fast = 7.0
    /// The speed from which a person who takes no steps for `settling` seconds is not on foot, in m/s.
    static let ride = 4.0
    /// The speed below which a car is stationary, in m/s.
    static let standing = 0.5
    /// The lowest standard deviation of the magnitude for pedalling, in g. Six of ten windows in a car are below it.
    static let leastPedalling = 0.05
    private static let bicycle = 2.5...10.0
    /// The lowest regularity of pedalling.
    private static let pedals = 0.5
    private static let pedalWindows = 3
    /// The duration of riding without steps before a ride is reported, and the time after the last riding speed at
    /// which a ride ends, in seconds.
    private static let settling = 20.0
    private static let patience = 60.0
    /// The number of steps that end a ride.
    private static let steps = 8

    /// `.cycling` or `.automotive`; nil if the person is not riding.
    private(set) var ride: CarriedActivity?
    private var ridingSince: Double?
    private var lastRide = -Double.infinity
    private var lastStep = -Double.infinity
    private var stepsInRide = 0
    private var pedalling = 0

    mutating func note(steps: Int, at time: Double) {
        lastStep = time
        stepsInRide += steps
        if stepsInRide >= Self.steps { end() }
    }

    mutating func restart() {
        end()
        lastStep = -.infinity
        pedalling = 0
    }

    private mutating func end() {
        ride = nil
        ridingSince = nil
        stepsInRide = 0
    }

    mutating func take(speed: Double?, pedalling regularity: Double, at time: Double) {
        let isOnFoot = time - lastStep < 5
        pedalling = regularity >= Self.pedals ? min(pedalling + 1, Self.pedalWindows) : 0
        guard let speed, speed.isFinite else { return expire(time) }
        if isOnFoot || speed < Self.ride { ridingSince = nil }
        if !isOnFoot, speed >= Self.ride, ridingSince == nil { ridingSince = time }
        let settled = ridingSince.map { time - $0 >= Self.settling } ?? false
        if !isOnFoot, Self.bicycle.contains(speed), pedalling >= Self.pedalWindows, ride != .automotive {
            begin(.cycling, time)
        } else if !isOnFoot, speed > Self.fast || settled, !(ride == .cycling && speed <= Self.bicycle.upperBound) {
            begin(.automotive, time)
        } else if ride != nil, speed >= Self.ride {
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
        // A negative difference, after the clock was set back, also ends a ride.
        if ride != nil, !(0...Self.patience).contains(time - lastRide) { end() }
    }
}
