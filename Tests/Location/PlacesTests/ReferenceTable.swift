// SPDX-License-Identifier: Apache-2.0

import Foundation
import Places
import TestSupport

/// Rows that other programs made: see make_reference.py.
enum ReferenceTable {
    /// The rows of a file in Reference/, without the first one that names the columns.
    static func rows(_ name: String, hasNames: Bool = true) throws -> [[String]] {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        let text = try String(contentsOf: folder.appendingPathComponent("Reference/\(name)"), encoding: .utf8)
        return text.split(separator: "\n").dropFirst(hasNames ? 1 : 0).map { line in
            line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
        }
    }
}

/// The data as programs have it.
enum ShippedData {
    static let bytes: [UInt8] =
        (try? Data(contentsOf: Checkout.root.appendingPathComponent("Sources/Location/CPlaceData/places.bin")))
        .map(Array.init) ?? []

    static let places = Result<PlaceData, PlaceDataError> { () throws(PlaceDataError) in
        try PlaceData(copying: bytes)
    }
}

extension PlaceData {
    /// Whether two names are the same without case and accents.
    func same(_ a: String?, _ b: String) throws -> Bool {
        guard let a else { return b.isEmpty }
        return try folded(a) == folded(b)
    }

    /// The first place of a text.
    func first(_ text: String) throws -> Place? {
        guard case .found(let places) = try self.places(PlaceQuery(text: text)) else { return nil }
        return places.first
    }
}
