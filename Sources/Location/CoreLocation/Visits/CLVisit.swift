// SPDX-License-Identifier: Apache-2.0

import AppDelivery
public import Foundation

/// The device's stay at a place. A visit is delivered after arrival and again after departure. Visits are immutable and
/// safe to use from any thread. The class is open so that tests can override its properties. Archives and copies
/// contain the object's original values.
open class CLVisit: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
    let values: VisitTracker.Visit

    init(_ values: VisitTracker.Visit) { self.values = values }

    /// Creates a visit at 0° N, 0° E with no arrival or departure time, for subclasses in tests.
    public override init() { values = VisitTracker.Visit(latitude: 0, longitude: 0, accuracy: -1) }

    /// Restores a visit from an archive. Returns nil if the archived values are damaged. If the archive contains no
    /// visit, behaves like `init()`.
    public required init?(coder: NSCoder) {
        if coder.containsNone(of: [Self.key]) {
            values = VisitTracker.Visit(latitude: 0, longitude: 0, accuracy: -1)
            return
        }
        guard let words = coder.decodeWords(5, forKey: Self.key) else { return nil }
        let numbers = words.map(Double.init(bitPattern:))
        values = VisitTracker.Visit(
            arrival: numbers[0].isNaN ? nil : numbers[0], departure: numbers[1].isNaN ? nil : numbers[1],
            latitude: numbers[2], longitude: numbers[3], accuracy: numbers[4])
    }

    /// The time of arrival, or `Date.distantPast` if the device was already there when the first fix arrived.
    open var arrivalDate: Date { values.arrival.map { Date(timeIntervalSinceReferenceDate: $0) } ?? .distantPast }

    /// The time of departure, or `Date.distantFuture` if the device has not left the place.
    open var departureDate: Date { values.departure.map { Date(timeIntervalSinceReferenceDate: $0) } ?? .distantFuture }

    /// The centre of the place, in degrees on WGS 84.
    open var coordinate: CLLocationCoordinate2D {
        CLLocationCoordinate2D(latitude: values.latitude, longitude: values.longitude)
    }

    /// The radius, in metres, of the circle around ``coordinate`` in which the device spent most of the time. The value
    /// is the median accuracy of the fixes, or their mean distance from the centre if that is larger.
    open var horizontalAccuracy: CLLocationAccuracy { values.accuracy }

    /// Returns the object itself, because visits are immutable.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// Always true.
    open class var supportsSecureCoding: Bool { true }

    /// Encodes the visit into a keyed archive without rounding its values. An unknown time is archived as NaN.
    open func encode(with coder: NSCoder) {
        guard coder.allowsKeyedCoding else { return }
        let numbers = [
            values.arrival ?? .nan, values.departure ?? .nan, values.latitude, values.longitude, values.accuracy,
        ]
        coder.encode(words: numbers.map(\.bitPattern), forKey: Self.key)
    }

    /// A one-line, locale-independent description with the coordinate, accuracy and UTC times.
    open override var description: String {
        let coordinates = String(
            format: "<%+.8f,%+.8f> +/- %.2fm", coordinate.latitude, coordinate.longitude, horizontalAccuracy)
        return "\(coordinates) (\(arrivalDate.utcDescription) to \(departureDate.utcDescription))"
    }

    private static let key = "CLVisit.values"
}
