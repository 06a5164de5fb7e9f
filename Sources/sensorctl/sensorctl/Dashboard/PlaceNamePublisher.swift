// SPDX-License-Identifier: Apache-2.0

import CoreLocation
import Dashboard
import JSONBytes

/// Publishes the name of the place at the current position. The names come from the place data in the program, so no
/// request leaves the machine. Must be used on the main thread.
final class PlaceNamePublisher {
    /// The distance from the last named position at which the name is updated, in metres. The place data contains towns,
    /// so a shorter distance would rarely change the name.
    private static let updateDistance = 200.0

    private let feed: DashboardFeed
    private let geocoder = CLGeocoder()
    private var named: CLLocation?
    /// False if the program contains no place data.
    private var isAvailable = true

    init(feed: DashboardFeed) { self.feed = feed }

    /// Discards the current name. Called after a seek.
    func reset() { named = nil }

    func update(_ location: CLLocation) {
        guard isAvailable, !geocoder.isGeocoding,
            named.map({ $0.distance(from: location) > Self.updateDistance }) ?? true
        else { return }
        named = location
        geocoder.reverseGeocodeLocation(location) { [weak self] placemarks, error in
            if let error = error as? CLError, error.code == .network {
                self?.isAvailable = false
            } else {
                self?.feed.publish("place", .state, ["name": placemarks?.first.map(Self.text) ?? ""])
            }
        }
    }

    /// Returns the name of the place and the areas that contain it, from the smallest to the largest.
    private static func text(_ placemark: CLPlacemark) -> String {
        var parts: [String] = []
        for part in [placemark.name, placemark.locality, placemark.administrativeArea, placemark.country] {
            if let part, !parts.contains(part) { parts.append(part) }
        }
        return parts.joined(separator: ", ")
    }
}
