// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport

/// The files that are shipped for tests.
enum Fixtures {
    static let folder = Checkout.traces.appendingPathComponent("iio")

    static func bytes(_ name: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: folder.appendingPathComponent(name)))
    }

    /// Returns the XML in iiod 0.24's reply to PRINT, without the line that contains its length and without the final
    /// line feed.
    static func goldenXML() throws -> [UInt8] {
        for line in String(decoding: try bytes("iiod-0.24-dialogue.jsonl"), as: UTF8.self).split(separator: "\n") {
            let entry = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            guard entry?["request"] as? String == "PRINT\r\n", let hex = entry?["response_hex"] as? String else {
                continue
            }
            var answer: [UInt8] = []
            var digits = hex[...]
            while !digits.isEmpty {
                answer.append(UInt8(digits.prefix(2), radix: 16) ?? 0)
                digits = digits.dropFirst(2)
            }
            return [UInt8](answer.drop { $0 != 10 }.dropFirst().dropLast())
        }
        throw CocoaError(.fileReadCorruptFile)
    }
}
