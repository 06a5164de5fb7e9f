// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// The recorded reports of the tests: the expected output of gpsd's regression logs.
enum Corpus {
    struct Line {
        var file: String
        var number: Int
        var bytes: [UInt8]
        var isReport: Bool { bytes.first == UInt8(ascii: "{") }
    }

    private static let here = URL(filePath: #filePath).deletingLastPathComponent()
    private static let folder = Checkout.traces.appending(path: "gpsd")

    static func files() throws -> [String] {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".chk") }
        try #require(!names.isEmpty)
        return names.sorted()
    }

    static func bytes(_ file: String) throws -> [UInt8] { try [UInt8](Data(contentsOf: folder.appending(path: file))) }

    /// Returns the lines of all files without CR LF or LF.
    static func lines() throws -> [Line] {
        try files().flatMap { file in
            try bytes(file).split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated().map {
                let line = $0.element.last == UInt8(ascii: "\r") ? $0.element.dropLast() : $0.element
                return Line(file: file, number: $0.offset + 1, bytes: [UInt8](line))
            }
        }
    }

    /// The rows of expected.tsv: file, line number, class, hash.
    static func expected() throws -> [[String]] {
        let text = try String(contentsOf: here.appending(path: "expected.tsv"), encoding: .utf8)
        return text.split(separator: "\n").map { $0.split(separator: "\t").map(String.init) }
    }
}
