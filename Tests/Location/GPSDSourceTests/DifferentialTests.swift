// SPDX-License-Identifier: Apache-2.0

#if LibGPS
import DeviceCore
import Foundation
import GPSDProtocol
import TestSupport
import Testing

@testable import GPSDSource

/// Every line of the corpus and every hostile line, decoded by both decoders. A difference fails unless one of the rules
/// explains it; a rule that no line needs fails too.
///
/// Whatever libgps gives up on is decoded by this package's decoder, so such lines agree by themselves.
@Suite("The two decoders")
struct DifferentialTests {
    /// What may differ, and why.
    private enum Rule: String, CaseIterable {
        case absentNumber = "libgps has 0 for a sigid or health that is absent, where it may mean L1 or unknown"
        case satelliteCount = "libgps counts only what a list holds, and there is no list"
        case velocity = "libgps stores velN, velE and velD elsewhere before API 12, and the shim does not read it there"
        case date = "libgps takes the 99th of the 99th month for a date"

        /// True when the field of the two reports differs for this reason.
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

    @Test("They agree on the corpus but for what the rules say")
    func corpusLines() throws {
        let used = try compare(Self.corpus())
        var expected: Set<Rule> = [.absentNumber, .satelliteCount]
        if LibGPSDecoder.apiVersion < 1200 { expected.insert(.velocity) }
        #expect(used == expected)
    }

    @Test("They agree on hostile lines but for what the rules say")
    func hostileLines() throws {
        #expect(try compare(Lines.hostile) == [.date])
    }

    /// Decodes every line twice, fails for what no rule explains, and returns the rules that were needed.
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
