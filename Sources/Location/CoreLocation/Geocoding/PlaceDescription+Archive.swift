// SPDX-License-Identifier: Apache-2.0

import AppDelivery
import Foundation

extension PlaceDescription {
    /// The texts and the names of their properties.
    private static let texts: [(key: String, path: any WritableKeyPath<PlaceDescription, String?> & Sendable)] = [
        ("name", \.name), ("thoroughfare", \.thoroughfare), ("subThoroughfare", \.subThoroughfare),
        ("locality", \.locality), ("subLocality", \.subLocality), ("administrativeArea", \.administrativeArea),
        ("subAdministrativeArea", \.subAdministrativeArea), ("postalCode", \.postalCode),
        ("isoCountryCode", \.isoCountryCode), ("country", \.country), ("inlandWater", \.inlandWater),
        ("ocean", \.ocean), ("timeZone", \.timeZone),
    ]
    private static let numbersKey = "CLPlacemark.numbers"
    private static let interestKey = "CLPlacemark.areasOfInterest"
    /// The maximum number of areas of interest that are read from an archive.
    private static let maximumAreaCount: UInt64 = 1000

    /// Decodes the values written by `encode(with:)`. Missing or invalid texts are nil, and missing numbers are 0.
    init(coder: NSCoder) {
        let words = coder.decodeWords(4, forKey: Self.numbersKey) ?? [0, 0, 0, 0]
        let numbers = words.prefix(3).map(Double.init(bitPattern:))
        self.init(latitude: numbers[0], longitude: numbers[1], radius: numbers[2])
        for (key, path) in Self.texts { self[keyPath: path] = coder.decodeText(forKey: "CLPlacemark." + key) }
        if words[3] > 0 {
            areasOfInterest = (1..<min(words[3], Self.maximumAreaCount + 1)).compactMap {
                coder.decodeText(forKey: "\(Self.interestKey).\($0)")
            }
        }
    }

    /// Encodes all values into a keyed archive.
    func encode(with coder: NSCoder) {
        guard coder.allowsKeyedCoding else { return }
        // The number of areas plus one, so that nil differs from an empty list.
        let areas = areasOfInterest.map { UInt64($0.count + 1) } ?? 0
        coder.encode(words: [latitude, longitude, radius].map(\.bitPattern) + [areas], forKey: Self.numbersKey)
        for (key, path) in Self.texts {
            if let text = self[keyPath: path] { coder.encode(text: text, forKey: "CLPlacemark." + key) }
        }
        for (number, area) in (areasOfInterest ?? []).enumerated() {
            coder.encode(text: area, forKey: "\(Self.interestKey).\(number + 1)")
        }
    }
}
