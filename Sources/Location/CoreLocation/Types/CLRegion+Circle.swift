// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import AppDelivery
import Foundation

extension CLRegion {
    /// A circle on the Earth.
    struct Circle: Sendable {
        var center: CLLocationCoordinate2D
        /// In metres, as it was given; a negative one contains nothing.
        var radius: Double

        func contains(_ coordinate: CLLocationCoordinate2D) -> Bool {
            guard radius >= 0, CLLocationCoordinate2DIsValid(center), CLLocationCoordinate2DIsValid(coordinate)
            else { return false }
            return geodesicDistance(center, coordinate) <= radius
        }
    }
}

extension CLRegion.Circle {
    private static let archiveKey = "CLRegion.circle"

    init?(coder: NSCoder) {
        guard let words = coder.decodeWords(3, forKey: Self.archiveKey) else { return nil }
        let numbers = words.map(Double.init(bitPattern:))
        center = CLLocationCoordinate2D(latitude: numbers[0], longitude: numbers[1])
        radius = numbers[2]
    }

    func encode(with coder: NSCoder) {
        coder.encode(words: [center.latitude, center.longitude, radius].map(\.bitPattern), forKey: Self.archiveKey)
    }
}
