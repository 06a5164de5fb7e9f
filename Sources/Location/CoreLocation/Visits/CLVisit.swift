// SPDX-License-Identifier: Apache-2.0

import AppDelivery
public import Foundation

/// A stay of the device at a place: told when it has arrived, and again when it has left.
///
/// Immutable; usable from any thread. The class is open so that tests can override its properties; an archive and a copy
/// hold the values that the object was made with.
open class CLVisit: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
    let values: VisitTracker.Visit

    init(_ values: VisitTracker.Visit) {
        self.values = values
    }

    /// Creates a visit at 0° N, 0° E without a beginning and an end, for subclasses in tests.
    public override init() {
        values = VisitTracker.Visit(latitude: 0, longitude: 0, accuracy: -1)
    }

    /// Restores a visit from an archive; one as `init()` makes it when the archive holds none.
    public required init?(coder: NSCoder) {
        let numbers = coder.decodeWords(5, forKey: Self.key)?.map(Double.init(bitPattern:))
        values = VisitTracker.Visit(
            arrival: numbers.flatMap { $0[0].isNaN ? nil : $0[0] },
            departure: numbers.flatMap { $0[1].isNaN ? nil : $0[1] },
            latitude: numbers?[2] ?? 0, longitude: numbers?[3] ?? 0, accuracy: numbers?[4] ?? -1)
    }

    /// When the device arrived; `Date.distantPast` when it was there from the first fix on.
    open var arrivalDate: Date { values.arrival.map { Date(timeIntervalSinceReferenceDate: $0) } ?? .distantPast }

    /// When the device left; `Date.distantFuture` while it is there.
    open var departureDate: Date { values.departure.map { Date(timeIntervalSinceReferenceDate: $0) } ?? .distantFuture }

    /// The middle of the place, in degrees on WGS 84.
    open var coordinate: CLLocationCoordinate2D {
        CLLocationCoordinate2D(latitude: values.latitude, longitude: values.longitude)
    }

    /// The radius in metres around ``coordinate`` in which the device was most of the time; negative when invalid.
    ///
    /// It is the median accuracy of the fixes, or their mean distance from the middle where that is more.
    open var horizontalAccuracy: CLLocationAccuracy { values.accuracy }

    /// Returns the visit itself, which cannot change.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// True: visits can be archived securely.
    open class var supportsSecureCoding: Bool { true }

    /// Writes the visit into a keyed archive, every number bit for bit.
    open func encode(with coder: NSCoder) {
        guard coder.allowsKeyedCoding else { return }
        let numbers = [
            values.arrival ?? .nan, values.departure ?? .nan, values.latitude, values.longitude, values.accuracy,
        ]
        coder.encode(words: numbers.map(\.bitPattern), forKey: Self.key)
    }

    /// Place, accuracy and times (UTC) on one line; the same in every locale.
    open override var description: String {
        let place = String(
            format: "<%+.8f,%+.8f> +/- %.2fm", coordinate.latitude, coordinate.longitude, horizontalAccuracy)
        return "\(place) (\(arrivalDate.shown) to \(departureDate.shown))"
    }

    private static let key = "CLVisit.values"
}
