// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import Geodesy

@Suite("Coefficient files of magnetic models")
struct MagneticFileTests {
    private static let bytes = Result {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        return [UInt8](try Data(contentsOf: folder.appendingPathComponent("Reference/Magnetic/WMM2025.COF")))
    }

    private static func lines() throws -> [String] {
        String(decoding: try bytes.get(), as: UTF8.self).split(separator: "\n").map(String.init)
    }

    private static func failure(_ text: String) -> MagneticModelError? { failure(Array(text.utf8)) }

    private static func failure(_ bytes: [UInt8]) -> MagneticModelError? {
        do {
            _ = try MagneticModel(cof: bytes)
            return nil
        } catch {
            return error
        }
    }

    /// Returns the published file with one line replaced, counted from 1.
    private static func changed(_ line: Int, _ text: String) throws -> String {
        var lines = try lines()
        lines[line - 1] = text
        return lines.joined(separator: "\n") + "\n"
    }

    @Test("The built-in table equals the published file")
    func builtIn() throws {
        let file = try MagneticModel(cof: try Self.bytes.get())
        let model = MagneticModel.wmm2025
        #expect(file.name == "WMM-2025" && model.name == file.name)
        #expect(file.epoch == 2025 && model.epoch == file.epoch)
        #expect(file.releaseDate == "11/13/2024" && model.releaseDate == file.releaseDate)
        #expect(file.degree == 12 && model.degree == file.degree)
        #expect(model.validYears == 2025...2030)
        #expect(file.zonal == model.zonal && file.zonal.count == 12)
        #expect(file.sectoral == model.sectoral && file.sectoral.count == 42)
        // Compares the table in the source, too, and not only the values that are derived from it.
        let rows = try Self.lines().dropFirst().dropLast(2).map { $0.split(separator: " ").compactMap { Double($0) } }
        #expect(rows.count == 90)
        #expect(rows.map { MagneticRow(g: $0[2], h: $0[3], gRate: $0[4], hRate: $0[5]) } == MagneticModel.wmm2025Rows)
    }

    @Test("Files with equivalent contents are parsed to the same model")
    func variations() throws {
        let lines = try Self.lines()
        let expected = MagneticModel.wmm2025
        let rows = lines.dropFirst().dropLast(2)
        let joined = lines.joined(separator: "\n")
        let tabbed = lines.map { $0.split(separator: " ").joined(separator: "\t") }
        let reversed = ["2025.0 WMM-2025 11/13/2024 and more"] + rows.reversed() + ["999999"]
        let undated = ["+2.025e3\tWMM-2025"] + rows + ["9999999999"]
        let variations: [String] = [
            lines.joined(separator: "\r\n") + "\r\n",
            "\u{FEFF}" + joined,
            "\n\n" + lines.joined(separator: "\n\n"),
            tabbed.joined(separator: "\n"),
            reversed.joined(separator: "\n"),
            lines.dropLast().joined(separator: "\n") + "\nwhat follows is not read \u{1}\u{FFFD}",
            undated.joined(separator: "\n"),
        ]
        for text in variations {
            let model = try MagneticModel(cof: text.utf8)
            #expect(model.zonal == expected.zonal && model.sectoral == expected.sectoral)
            #expect(model.name == "WMM-2025" && model.epoch == 2025)
        }
        #expect(try MagneticModel(cof: variations[6].utf8).releaseDate == nil)
    }

    @Test("Errors name the line and the reason")
    func errors() throws {
        func reason(_ line: Int, _ text: String) throws -> String? {
            Self.failure(try Self.changed(line, text))?.description
        }
        #expect(
            try reason(1, "WMM-2025 2025.0 11/13/2024")
                == "Line 1: the file does not begin with an epoch and a model name.")
        #expect(try reason(1, "1 0 -29351.8 0.0 12.0 0.0")?.hasPrefix("Line 1: the file does not begin") == true)
        #expect(try reason(1, "20250 WMM-2025") == "Line 1: the epoch is not a year from 1900 to 2200.")
        #expect(try reason(2, "1 0 nan 0.0 12.0 0.0") == "Line 2: \"nan\" is not a valid number in this field.")
        #expect(
            try reason(2, "1 0 -29351,8 0.0 12.0 0.0") == "Line 2: \"-29351,8\" is not a valid number in this field.")
        #expect(try reason(3, "1 1 inf 0.0 12.0 0.0") == "Line 3: \"inf\" is not a valid number in this field.")
        #expect(try reason(3, "1 1 1e999 0.0 12.0 0.0") == "Line 3: \"1e999\" is not a valid number in this field.")
        #expect(try reason(3, "1 1 0x10 0.0 12.0 0.0") == "Line 3: \"0x10\" is not a valid number in this field.")
        #expect(try reason(3, "1 1 2000000 0.0 12.0 0.0") == "Line 3: \"2000000\" is not a valid number in this field.")
        #expect(try reason(2, "1 0 -29351.8 7.5 12.0 0.0") == "Line 2: \"7.5\" is not a valid number in this field.")
        #expect(
            try reason(5, "2 1 2951.1 -3133.6")
                == "Line 5: a row needs six fields (n, m, g, h and their rates), but this one has 4.")
        #expect(try reason(5, "2 1 2951.1 -3133.6 1 2 3")?.hasSuffix("this one has 7.") == true)
        #expect(
            try reason(5, "2 3 0 0 0 0") == "Line 5: degree 2 and order 3 are out of range (1 to 133, 0 to the degree)."
        )
        #expect(try reason(5, "134 0 0 0 0 0")?.hasPrefix("Line 5: degree 134 and order 0 are out of range") == true)
        #expect(try reason(5, "0 0 0 0 0 0")?.hasPrefix("Line 5: degree 0") == true)
        #expect(try reason(5, "99999999999999999999 1 0 0 0 0")?.hasPrefix("Line 5: \"999999") == true)
        #expect(try reason(5, "-2 1 0 0 0 0") == "Line 5: \"-2\" is not a valid number in this field.")
        #expect(try reason(5, "2 0 -1 0 0 0") == "Line 5: degree 2 and order 0 occur twice.")
        #expect(try reason(5, "13 0 -1 0 0 0") == "Degree 2 and order 1 are missing.")
        #expect(try reason(5, "") == "Degree 2 and order 1 are missing.")
        #expect(try reason(5, "2 1 0 0 0 \u{E9}") == "Line 5: the line is not ASCII text or is too long.")
        #expect(try reason(5, String(repeating: " ", count: 300))?.hasPrefix("Line 5: the line is not") == true)
        #expect(Self.failure("")?.description == "The file is empty.")
        #expect(Self.failure(" \r\n\t\n")?.reason == .empty)
        #expect(Self.failure("2025.0 WMM\n999999\n")?.reason == .missing(degree: 1, order: 0))
    }

    @Test("A truncated file is rejected instead of being parsed as a smaller model")
    func truncation() throws {
        let bytes = try Self.bytes.get()
        let offset = try #require(bytes.firstRange(of: Array("999999".utf8))).lowerBound
        for count in [Int](stride(from: 0, to: offset, by: 7)) + [Int]((offset - 60)..<offset) {
            #expect(Self.failure(Array(bytes[..<count])) != nil)
        }
        #expect(Self.failure(Array(bytes[..<offset]))?.reason == .noEnd)
        #expect(Self.failure(Array(bytes[..<(offset + 6)])) == nil)
    }

    @Test("Huge input is rejected before all of it is read")
    func huge() throws {
        let blank = repeatElement(UInt8(ascii: "\n"), count: 1 << 30)
        #expect(throws: MagneticModelError(.tooLarge)) { try MagneticModel(cof: blank) }
        let line = repeatElement(UInt8(ascii: "1"), count: 1 << 30)
        #expect(throws: MagneticModelError(.notText, line: 1)) { try MagneticModel(cof: line) }
    }

    /// The high-resolution model has degree 133. Terms of zero do not change the field.
    @Test("A model of a high degree is parsed, and terms of zero do not change the field")
    func highDegree() throws {
        var text = "2025.0 HIGH 1/1/2025\n"
        let rows = try Self.lines().dropFirst().dropLast(2)
        text += rows.joined(separator: "\n") + "\n"
        for n in 13...133 { for m in 0...n { text += "\(n) \(m) 0 0 0 0\n" } }
        let model = try MagneticModel(cof: (text + "999999\n").utf8)
        #expect(model.degree == 133)
        var generator = SeededGenerator(seed: 12)
        for _ in 0..<50 {
            let coordinate = generator.coordinate()
            let (high, low) = (
                model.field(latitude: coordinate.latitude, longitude: coordinate.longitude, altitude: 0, year: 2026),
                MagneticModel.wmm2025.field(
                    latitude: coordinate.latitude, longitude: coordinate.longitude, altitude: 0, year: 2026)
            )
            #expect(high == low)
        }
    }

    @Test("Damaged files yield an error or a model but no crash")
    func fuzz() throws {
        let bytes = try Self.bytes.get()
        var generator = SeededGenerator(seed: 2030)
        var accepted = 0
        for _ in 0..<1500 {
            var damaged = bytes
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                let index = Int.random(in: 0..<damaged.count, using: &generator)
                switch Int.random(in: 0..<4, using: &generator) {
                case 0: damaged[index] = UInt8.random(in: 0...255, using: &generator)
                case 1: damaged[index] = "0123456789 .-+eE\r\n\tnaN".utf8.randomElement(using: &generator) ?? 0
                case 2: damaged.removeSubrange(index..<min(index + 40, damaged.count))
                default: damaged.insert(contentsOf: damaged[index..<min(index + 60, damaged.count)], at: index)
                }
            }
            guard let model = try? MagneticModel(cof: damaged) else { continue }
            accepted += 1
            let field = model.field(latitude: 48, longitude: 16, altitude: 0, year: model.epoch)
            #expect(field.total.isFinite && (1...133).contains(model.degree))
        }
        // A changed digit leaves a valid model. Most other damage does not.
        #expect((1..<1000).contains(accepted))
    }
}
