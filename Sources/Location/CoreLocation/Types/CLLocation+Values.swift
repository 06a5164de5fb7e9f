// SPDX-License-Identifier: Apache-2.0

import AppDelivery
import DeviceCore
import Foundation

extension CLLocation {
    /// The values of a location, in the same units as ``CLLocation``. They are stored as plain numbers, so that
    /// creating a location requires only one allocation.
    struct Values: Sendable {
        var latitude: Double
        var longitude: Double
        var altitude: Double = 0
        var ellipsoidalAltitude: Double = 0
        var horizontalAccuracy: Double
        var verticalAccuracy: Double = -1
        var course: Double = -1
        var courseAccuracy: Double = -1
        var speed: Double = -1
        var speedAccuracy: Double = -1
        /// Seconds since 2001-01-01T00:00:00Z, as in `Date.timeIntervalSinceReferenceDate`.
        var timestamp: Double
        var isSimulatedBySoftware = false
        var isProducedByAccessory = false
        var floorLevel: Int?
    }
}

extension CLLocation.Values {
    init(
        _ coordinate: CLLocationCoordinate2D, altitude: Double = 0, horizontalAccuracy: Double,
        verticalAccuracy: Double = -1, course: Double = -1, courseAccuracy: Double = -1, speed: Double = -1,
        speedAccuracy: Double = -1, timestamp: Date
    ) {
        self.init(
            latitude: coordinate.latitude, longitude: coordinate.longitude, altitude: altitude,
            horizontalAccuracy: horizontalAccuracy, verticalAccuracy: verticalAccuracy, course: course,
            courseAccuracy: courseAccuracy, speed: speed, speedAccuracy: speedAccuracy,
            timestamp: timestamp.timeIntervalSinceReferenceDate)
    }

    private static let archiveKey = "CLLocation.values"

    static func isAbsent(from coder: NSCoder) -> Bool { coder.containsNone(of: [archiveKey]) }

    init?(coder: NSCoder) {
        guard let words = coder.decodeWords(13, forKey: Self.archiveKey) else { return nil }
        let numbers = words.prefix(11).map(Double.init(bitPattern:))
        self.init(
            latitude: numbers[0], longitude: numbers[1], altitude: numbers[2], ellipsoidalAltitude: numbers[3],
            horizontalAccuracy: numbers[4], verticalAccuracy: numbers[5], course: numbers[6],
            courseAccuracy: numbers[7], speed: numbers[8], speedAccuracy: numbers[9], timestamp: numbers[10],
            isSimulatedBySoftware: words[11] & 1 != 0, isProducedByAccessory: words[11] & 2 != 0,
            floorLevel: words[11] & 4 == 0 ? nil : Int(exactly: Int64(bitPattern: words[12])))
    }

    /// Encodes all values into a keyed archive, as thirteen 64-bit integers. New values must be appended, and
    /// `init(coder:)` must accept existing archives, which lack the new values.
    func encode(with coder: NSCoder) {
        guard coder.allowsKeyedCoding else { return }
        var words = [
            latitude, longitude, altitude, ellipsoidalAltitude, horizontalAccuracy, verticalAccuracy,
            course, courseAccuracy, speed, speedAccuracy, timestamp,
        ].map(\.bitPattern)
        words.append((isSimulatedBySoftware ? 1 : 0) | (isProducedByAccessory ? 2 : 0) | (floorLevel == nil ? 0 : 4))
        words.append(UInt64(bitPattern: Int64(floorLevel ?? 0)))
        coder.encode(words: words, forKey: Self.archiveKey)
    }
}

struct LocationDetails: Sendable {
    let report: PositionReport
    let sky: SkyReport?
    /// True if the receiver's time is earlier than the time in its previous report.
    let isOutOfOrder: Bool
    /// The clock that measured the report's arrival time.
    let clock: any DeviceClock
}
