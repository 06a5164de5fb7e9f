// SPDX-License-Identifier: Apache-2.0

import AppDelivery
public import Foundation

/// A circle on the Earth that can be monitored.
///
/// The centre and radius are not validated. If the radius exceeds the manager's maximum, monitoring fails.
///
/// **Crossings.** Crossings are determined from the coordinates and accuracy of positions. For a moving device, an
/// unambiguous crossing is reported after at least two seconds and three positions. With a good receiver, the device is
/// then 30 to 45 metres beyond the boundary. An ambiguous crossing must last 20 seconds. Its mean depth must reach the
/// accuracy of the positions, or three times the accuracy if the device is stationary. Noise alone does not cause a
/// crossing, and neither does a signal reflection that lasts ten seconds. A brief crossing is reported if its depth
/// exceeds both 20 metres and about 4.5 times the accuracy. On Apple's platforms, the device must be a minimum distance
/// beyond the boundary for 20 seconds, and crossings are reported within minutes. To change these thresholds, set the
/// manager's static properties `regionDwell` and `regionCushion`.
///
/// If the radius is smaller than the error of the positions, the region is enlarged to that error, but to no more than
/// 50 metres.
open class CLCircularRegion: CLRegion, @unchecked Sendable {
    /// Creates a circular region.
    /// - Parameters:
    ///   - center: The centre, in degrees on WGS 84.
    ///   - radius: The radius in metres. A region with a negative radius contains no coordinates.
    ///   - identifier: The region's name, unique among the regions that an app monitors.
    public init(center: CLLocationCoordinate2D, radius: CLLocationDistance, identifier: String) {
        super.init(identifier: identifier, circle: Circle(center: center, radius: radius))
    }

    /// Restores a region from an archive. Returns nil if the archived region is damaged or not circular. If the archive
    /// contains no region, the result is an empty region without an identifier.
    public required init?(coder: NSCoder) {
        super.init(coder: coder)
        guard circle != nil || Self.isAbsent(from: coder) else { return nil }
    }

    /// The centre in degrees on WGS 84.
    open override var center: CLLocationCoordinate2D { circle?.center ?? kCLLocationCoordinate2DInvalid }

    /// The radius in metres.
    open override var radius: CLLocationDistance { circle?.radius ?? -1 }

    /// Returns whether a coordinate is inside the circle or on its boundary. Returns false if the coordinate or the
    /// centre is invalid, or if the radius is negative.
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

    /// A one-line, locale-independent description with the type, identifier, centre and radius.
    open override var description: String {
        let numbers = String(format: "center:<%+.8f,%+.8f>, radius:%.2fm", center.latitude, center.longitude, radius)
        return "\(type(of: self)) (identifier:'\(identifier)', \(numbers))"
    }
}

extension CLRegion {
    struct Circle: Sendable {
        var center: CLLocationCoordinate2D
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

    /// The caller must check `allowsKeyedCoding`.
    func encode(with coder: NSCoder) {
        coder.encode(words: [center.latitude, center.longitude, radius].map(\.bitPattern), forKey: Self.archiveKey)
    }
}
