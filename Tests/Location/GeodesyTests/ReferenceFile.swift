// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Lines of numbers from other programs (see make_reference.py).
enum ReferenceFile {
    struct Line {
        let category: String
        /// NaN where the file contains "-".
        let values: [Double]
        let text: String
    }

    struct Malformed: Error {
        let line: String
    }

    /// Reads a file in Reference/. Every line must have the given number of values.
    static func read(_ name: String, columns: Int) throws -> [Line] {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        let text = try String(contentsOf: folder.appendingPathComponent("Reference/\(name)"), encoding: .utf8)
        var category = ""
        var lines: [Line] = []
        for line in text.split(separator: "\n") {
            if line.hasPrefix("#") {
                category = String(line.dropFirst(2))
                continue
            }
            let values = try line.split(separator: " ").map { field in
                if field == "-" { return Double.nan }
                guard let value = Double(field) else { throw Malformed(line: String(line)) }
                return value
            }
            guard values.count == columns else { throw Malformed(line: String(line)) }
            lines.append(Line(category: category, values: values, text: "\(category): \(line)"))
        }
        return lines
    }
}
