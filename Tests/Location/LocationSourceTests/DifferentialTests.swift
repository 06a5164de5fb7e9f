// SPDX-License-Identifier: Apache-2.0

#if LibGPS
import DeviceCore
import Foundation
import GPSDProtocol
import TestSupport
import Testing

@testable import GPSDSource

/// Decodes every line of the corpus and every hostile line with both decoders. A difference fails the test unless a
/// rule explains it, and so does a rule that no line needs.
///
/// Lines that libgps rejects are decoded by this package's decoder, so they cannot differ.
@Suite("Comparison of the native decoder and libgps")
struct DifferentialTests {
    /// The permitted differences and their reasons.
    private enum Rule: String, CaseIterable {
        case absentNumber = "libgps has 0 for a sigid or health that is absent, where it may mean L1 or unknown"
        case satelliteCount = "libgps counts only what a list holds, and there is no list"
        case velocity = "libgps stores velN, velE and velD elsewhere before API 12, and the shim does not read it there"
        case date = "libgps takes the 99th of the 99th month for a date"

        /// Returns true if this rule explains the different values of the field.
        func explains(_ field: Substring, native: String?, library: String?) -> Bool {
            switch self {
            case .absentNumber:
                ["signalIdentifier", "health"].contains(field) && native == "-1" && library == "0"
            case .satelliteCount: ["visibleCount", "usedCount"].contains(field) && native == "0" && library == "-1"
            case .velocity: field.hasPrefix("velocity") && library == "nan"
            case .date: field == "time" && native == "nil"
            }
        }
    }

    private static let folder = Checkout.traces.appending(path: "gpsd")

    private static func corpus() throws -> [[UInt8]] {
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".chk") }
        try #require(files.count == 12)
        return try files.sorted().flatMap { file in
            try [UInt8](Data(contentsOf: folder.appending(path: file))).split(separator: 10).map { line in
                [UInt8](line.last == 13 ? line.dropLast() : line)
            }
        }
    }

    @Test("Both decoders agree on the corpus except for the permitted differences")
    func corpusLines() throws {
        let used = try compare(Self.corpus())
        var expected: Set<Rule> = [.absentNumber, .satelliteCount]
        if LibGPSDecoder.apiVersion < 1200 { expected.insert(.velocity) }
        #expect(used == expected)
    }

    @Test("Both decoders agree on hostile lines except for the permitted differences")
    func hostileLines() throws {
        #expect(try compare(Lines.hostile) == [.date])
    }

    /// Decodes every line with both decoders, records differences that no rule explains, and returns the rules that
    /// were needed.
    private func compare(_ lines: [[UInt8]]) throws -> Set<Rule> {
        var native = GPSDDecoder()
        var library = try LibGPSDecoder()
        var used: Set<Rule> = []
        for line in lines {
            let first = Fields.of(line.withUnsafeBytes { native.decode($0) })
            var position = PositionReport()
            let second = Fields.of(
                line.withUnsafeBytes { library.decode($0, position: &position) } ?? .position(position))
            for key in Set(first.keys).union(second.keys) where first[key] != second[key] {
                let field = key.split(separator: ".").last ?? ""
                if let rule = Rule.allCases.first(where: {
                    $0.explains(field, native: first[key], library: second[key])
                }) {
                    used.insert(rule)
                } else {
                    let text = String(decoding: line.prefix(300), as: UTF8.self)
                    Issue.record("\(key): \(first[key] ?? "-") or \(second[key] ?? "-") in \(text)")
                }
            }
        }
        return used
    }
}
#endif
