// SPDX-License-Identifier: Apache-2.0

import DeviceCore
public import Foundation

/// The steps, distance and floors that a pedometer counted between two dates.
open class CMPedometerData: NSObject, NSSecureCoding, NSCopying {
    struct Values: Sendable, Hashable {
        /// The start and end times, in seconds since 1970.
        var start = 0.0
        var end = 0.0
        var steps = 0.0
        var distance: Double?
        var floorsAscended: Double?
        var floorsDescended: Double?
        /// The current and average pace in seconds per metre, and the cadence in steps per second.
        var pace: Double?
        var cadence: Double?
        var averageActivePace: Double?
    }

    private var values = Values()

    /// Creates an object with no steps. Both dates are 1970-01-01T00:00:00Z.
    public override init() {}

    init(_ values: Values) { self.values = values }

    /// Creates an object from an archive, or returns nil if the archived values are invalid.
    public required init?(coder: NSCoder) {
        guard let values = Values(coder, Self.archiveKey) else { return nil }
        self.values = values
    }

    /// The start of the counting period.
    open var startDate: Date { Date(timeIntervalSince1970: values.start) }
    /// The end of the counting period. In updates, this is the time of the last reading.
    open var endDate: Date { Date(timeIntervalSince1970: values.end) }
    /// The number of steps between the start date and the end date.
    open var numberOfSteps: NSNumber { NSNumber(value: Int(values.steps.rounded())) }
    /// The distance in metres, estimated from the cadence or from the speed in position fixes.
    open var distance: NSNumber? { values.distance.map { NSNumber(value: $0) } }
    /// The number of floors ascended, or nil if the device has no barometer.
    open var floorsAscended: NSNumber? { values.floorsAscended.map { NSNumber(value: Int($0)) } }
    /// The number of floors descended, or nil if the device has no barometer.
    open var floorsDescended: NSNumber? { values.floorsDescended.map { NSNumber(value: Int($0)) } }
    /// The pace in seconds per metre, computed over the last five seconds. It is nil in query results and while the
    /// user is not walking.
    open var currentPace: NSNumber? { values.pace.map { NSNumber(value: $0) } }
    /// The cadence in steps per second, computed over the last five seconds. It is nil in query results and while the
    /// user is not walking.
    open var currentCadence: NSNumber? { values.cadence.map { NSNumber(value: $0) } }
    /// The average pace in seconds per metre while the user was walking. It is nil if the distance or the walking time
    /// is zero.
    open var averageActivePace: NSNumber? { values.averageActivePace.map { NSNumber(value: $0) } }

    /// A string that contains the number of steps, the distance and the dates.
    open override var description: String {
        "<CMPedometerData \(numberOfSteps) steps, \(distance.map { "\($0) m, " } ?? "")\(startDate) to \(endDate)>"
    }

    /// Returns this object, which is immutable.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// Always true.
    open class var supportsSecureCoding: Bool { true }

    /// Encodes the object into a keyed archive, with NaN in place of nil. The values are taken from the public
    /// properties, because subclasses may override them.
    open func encode(with coder: NSCoder) {
        coder.encode(
            numbers: [startDate.timeIntervalSince1970, endDate.timeIntervalSince1970, numberOfSteps.doubleValue]
                + [distance, floorsAscended, floorsDescended, currentPace, currentCadence, averageActivePace]
                .map { $0?.doubleValue ?? .nan },
            forKey: Self.archiveKey)
    }

    private static let archiveKey = "CMPedometerData.values"
}

extension CMPedometerData.Values {
    init(_ totals: StepTotals, from start: WallTime, to end: WallTime, countsFloors: Bool) {
        self.init()
        self.start = start.seconds
        self.end = max(start, end).seconds
        steps = totals.steps
        distance = totals.distance
        if totals.distance > 0, totals.activeTime > 0 { averageActivePace = totals.activeTime / totals.distance }
        guard countsFloors else { return }
        floorsAscended = Double(totals.floorsAscended)
        floorsDescended = Double(totals.floorsDescended)
    }

    fileprivate init?(_ coder: NSCoder, _ key: String) {
        self.init()
        guard coder.containsNumbers(forKey: key) else { return }
        guard let numbers = coder.decodeNumbers(9, forKey: key), numbers[0..<3].allSatisfy(\.isFinite),
            (0...Double(Int32.max)).contains(numbers[2])
        else { return nil }
        (start, end, steps) = (numbers[0], numbers[1], numbers[2])
        func number(_ index: Int) -> Double? { numbers[index].isFinite ? numbers[index] : nil }
        func count(_ index: Int) -> Double? { number(index).flatMap { abs($0) <= Double(Int32.max) ? $0 : nil } }
        (distance, floorsAscended, floorsDescended) = (number(3), count(4), count(5))
        (pace, cadence, averageActivePace) = (number(6), number(7), number(8))
    }
}

/// An event that is reported when the user pauses or resumes walking.
open class CMPedometerEvent: NSObject, NSSecureCoding, NSCopying {
    private var storedDate: TimeInterval = 0
    private var storedType = CMPedometerEventType.pause

    /// Creates a pause event with the date 1970-01-01T00:00:00Z.
    public override init() {}

    init(_ transition: WalkTransition) {
        storedDate = transition.time.seconds
        storedType = transition.isWalking ? .resume : .pause
    }

    /// Creates an event from an archive, or returns nil if the archived values are invalid.
    public required init?(coder: NSCoder) {
        guard let numbers = coder.numbers(forKey: Self.archiveKey, default: [0, 0]) else { return nil }
        storedDate = numbers[0]
        storedType = numbers[1] == 1 ? .resume : .pause
    }

    /// The time of the last step before a pause, or of the first step after walking resumed.
    open var date: Date { Date(timeIntervalSince1970: storedDate) }
    /// The type of the event.
    open var type: CMPedometerEventType { storedType }

    /// Returns this event, which is immutable.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// Always true.
    open class var supportsSecureCoding: Bool { true }

    /// Encodes the event into a keyed archive.
    open func encode(with coder: NSCoder) {
        coder.encode(numbers: [date.timeIntervalSince1970, Double(type.rawValue)], forKey: Self.archiveKey)
    }

    private static let archiveKey = "CMPedometerEvent.values"
}

/// The type of a pedometer event.
public enum CMPedometerEventType: Int, Sendable {
    /// The user has stopped walking.
    case pause = 0
    /// The user has started or resumed walking.
    case resume = 1
}
