// SPDX-License-Identifier: Apache-2.0

import DeviceCore
public import Foundation

/// What a pedometer counted between two times.
open class CMPedometerData: NSObject, NSSecureCoding, NSCopying {
    /// What it holds.
    struct Values: Sendable, Hashable {
        /// Seconds since 1970.
        var start = 0.0
        var end = 0.0
        var steps = 0.0
        /// Metres.
        var distance: Double?
        var floorsAscended: Double?
        var floorsDescended: Double?
        /// Seconds a metre, and steps a second.
        var pace: Double?
        var cadence: Double?
        var averageActivePace: Double?
    }

    private var values = Values()

    /// No steps from 1970-01-01T00:00:00Z to the same time.
    public override init() {}

    init(_ values: Values) { self.values = values }

    /// Restores it from an archive: with default values where a subclass has written nothing, nil where something
    /// else stands.
    public required init?(coder: NSCoder) {
        guard let values = Values(coder, Self.key) else { return nil }
        self.values = values
    }

    /// When counting began.
    open var startDate: Date { Date(timeIntervalSince1970: values.start) }
    /// When it ended: of live updates, when the last reading was taken.
    open var endDate: Date { Date(timeIntervalSince1970: values.end) }
    /// The steps between the two.
    open var numberOfSteps: NSNumber { NSNumber(value: Int(values.steps.rounded())) }
    /// Metres, estimated from the cadence, or from a receiver's speed.
    open var distance: NSNumber? { values.distance.map { NSNumber(value: $0) } }
    /// Floors up; nil without a barometer.
    open var floorsAscended: NSNumber? { values.floorsAscended.map { NSNumber(value: Int($0)) } }
    /// Floors down; nil without a barometer.
    open var floorsDescended: NSNumber? { values.floorsDescended.map { NSNumber(value: Int($0)) } }
    /// Seconds per metre now, over the last five seconds; nil when nobody walks, and in answers to queries.
    open var currentPace: NSNumber? { values.pace.map { NSNumber(value: $0) } }
    /// Steps per second now, over the last five seconds; nil when nobody walks, and in answers to queries.
    open var currentCadence: NSNumber? { values.cadence.map { NSNumber(value: $0) } }
    /// Seconds per metre on average, of the time in which steps were taken; nil without a distance.
    open var averageActivePace: NSNumber? { values.averageActivePace.map { NSNumber(value: $0) } }

    /// The steps and the times.
    open override var description: String {
        "<CMPedometerData \(numberOfSteps) steps, \(distance.map { "\($0) m, " } ?? "")\(startDate) to \(endDate)>"
    }

    /// Returns the object itself, which cannot change.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// True: it can be archived securely.
    open class var supportsSecureCoding: Bool { true }

    /// Writes it into a keyed archive, as the properties have it, which subclasses may override.
    open func encode(with coder: NSCoder) {
        coder.encode(
            numbers: [
                startDate.timeIntervalSince1970, endDate.timeIntervalSince1970, numberOfSteps.doubleValue,
            ]
                + [distance, floorsAscended, floorsDescended, currentPace, currentCadence, averageActivePace]
                .map { $0?.doubleValue ?? .nan },
            forKey: Self.key)
    }

    private static let key = "CMPedometerData.values"
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
        guard coder.holdsNumbers(forKey: key) else { return }
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
