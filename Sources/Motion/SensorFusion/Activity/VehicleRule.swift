// SPDX-License-Identifier: Apache-2.0

/// Tells riding from a receiver's speed, from steps and from pedals.
///
/// Speeds are those of open trackers' classifiers, as GeoPulse's: a bicycle goes 8 to 25 km/h and up to 35, a walker
/// up to 8.
struct VehicleRule: Sendable {
    /// Metres a second: nobody is on foot.
    static let fast = 7.0
    /// Metres a second: nobody is on foot who takes no steps for a while.
    static let ride = 4.0
    /// Metres a second below which a car stands.
    static let standing = 0.5
    /// The deviation of the magnitude, in g, below which nobody pedals: six of ten windows in a car are below.
    static let leastPedalling = 0.05
    private static let bicycle = 2.5...10.0
    /// How regular pedals are.
    private static let pedals = 0.5
    private static let pedalWindows = 3
    /// Seconds of riding without steps before it counts, and without speed after which it is over.
    private static let settling = 20.0
    private static let patience = 60.0
    /// Steps that end a ride.
    private static let steps = 8

    /// Cycling or automotive; nil for neither.
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
        // Also after a clock that was set back.
        if ride != nil, !(0...Self.patience).contains(time - lastRide) { end() }
    }
}
