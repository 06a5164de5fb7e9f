// SPDX-License-Identifier: Apache-2.0

import AppDelivery
public import Foundation

/// A circle on the Earth that can be monitored.
///
/// Centre and radius are kept as they are given. A radius above the manager's maximum fails when monitoring starts,
/// not here.
///
/// **When a crossing is told.** The whole error circle of the positions counts, not only their middle. Of a device that
/// moves a crossing is told when it is beyond doubt: after two seconds and three positions at the earliest, 30 to 45
/// metres past the border with a good receiver. What is doubtful has to last 20 seconds, and three times as deep for a
/// device that rests. So noise alone crosses no border, and a reflection of ten seconds does not either. Nothing is told
/// of a graze that is not deeper than about 4.5 times the accuracy, or 20 metres. Apple's rule is 20 seconds at a minimum
/// distance, and events within minutes. `regionDwell` and `regionCushion` of the manager change the rules.
///
/// A region that is smaller than the error of the positions is taken for as large, up to 50 metres.
open class CLCircularRegion: CLRegion, @unchecked Sendable {
    /// Creates a circular region.
    /// - Parameters:
    ///   - center: The centre, in degrees on WGS 84.
    ///   - radius: The radius in metres. Nothing lies in a region with a negative one.
    ///   - identifier: The name of the region, unique among the regions that a program monitors.
    public init(center: CLLocationCoordinate2D, radius: CLLocationDistance, identifier: String) {
        super.init(identifier: identifier, circle: Circle(center: center, radius: radius))
    }

    /// Restores a region from an archive; nil when the archive holds no circular region, or a damaged one. One that holds
    /// nothing of any region gives an empty one, as ``CLRegion``'s.
    public required init?(coder: NSCoder) {
        super.init(coder: coder)
        guard circle != nil || Self.isAbsent(from: coder) else { return nil }
    }

    /// The centre, as it was given.
    open override var center: CLLocationCoordinate2D { circle?.center ?? kCLLocationCoordinate2DInvalid }

    /// The radius in metres, as it was given.
    open override var radius: CLLocationDistance { circle?.radius ?? -1 }

    /// Whether the distance from the centre to a coordinate is at most the radius.
    ///
    /// False for an invalid coordinate, an invalid centre and a negative radius.
    open override func contains(_ coordinate: CLLocationCoordinate2D) -> Bool {
        Circle(center: center, radius: radius).contains(coordinate)
    }

    /// Returns a new region with the same values.
    open override func copy(with zone: NSZone? = nil) -> Any {
        let copy = CLCircularRegion(center: center, radius: radius, identifier: identifier)
        copy.notifyOnEntry = notifyOnEntry
        copy.notifyOnExit = notifyOnExit
        return copy
    }

    /// Type, identifier, centre and radius on one line; the same in every locale.
    open override var description: String {
        let numbers = String(
            format: "center:<%+.8f,%+.8f>, radius:%.2fm", center.latitude, center.longitude, radius
        )
        return "\(type(of: self)) (identifier:'\(identifier)', \(numbers))"
    }
}

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
