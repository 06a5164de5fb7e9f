// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import Testing
import Trace

@testable import TraceFormats

@Suite("Damaged and hostile GPX")
struct HostileGPXTests {
    private static let point = "<trkpt lat=\"1\" lon=\"2\"><time>2021-06-16T23:46:05Z</time></trkpt>\n"
    private static let start = "<gpx>\n<trk><trkseg>\n"

    private func message(_ text: String) -> String? {
        do throws(DeviceError) {
            _ = try ReadPositions(gpx: [UInt8](text.utf8))
            return nil
        } catch {
            return error.message
        }
    }

    @Test("A truncated file is read up to the cut")
    func cuts() throws {
        let text = Self.start + Self.point + Self.point.replacing("05Z", with: "06Z") + "</trkseg></trk></gpx>"
        let bytes = [UInt8](text.utf8)
        let firstEnd = Self.start.utf8.count + Self.point.utf8.count - 1
        for length in firstEnd..<bytes.count - 1 {
            let read = try ReadPositions(gpx: Array(bytes.prefix(length)))
            #expect(read.fixes.count == (length < firstEnd + Self.point.utf8.count ? 1 : 2))
            #expect(read.hasRemark("Everything before it was read."), "\(length)")
        }
        for length in 5..<firstEnd {
            #expect(message(String(decoding: bytes.prefix(length), as: UTF8.self))?.contains("line ") == true)
        }
    }

    @Test(
        "Hostile text ends reading with a remark, and the points before it are kept",
        arguments: [
            "\u{0}", "<trkpt lat=\"", String(repeating: "<a>", count: 100_000), "&#0;<", "</gpx>", "<![CDATA[",
            "<!DOCTYPE x>",
            "<trkpt lat=\"" + String(repeating: "9", count: 3_000_000) + "\" lon=\"2\"/>", "\u{1}",
        ])
    func hostile(text: String) throws {
        let read = try ReadPositions(gpx: Self.start + Self.point + text + Self.point)
        #expect(read.fixes.count == 1)
        #expect(read.hasRemark("t.gpx, line 4: ") || read.hasRemark("t.gpx, line 5: "), "\(read.remarks)")
    }

    @Test("Long texts, nested entities and huge numbers are harmless")
    func harmless() throws {
        var bomb = "<!DOCTYPE gpx [<!ENTITY a0 \"ha\">"
        for level in 1...30 { bomb += "<!ENTITY a\(level) \"&a\(level - 1);&a\(level - 1);&a\(level - 1);\">" }
        let texts = [
            String(repeating: "x", count: 3_000_000), "&a30;", String(repeating: "&a30;", count: 10_000),
            "<![CDATA[" + String(repeating: "]]", count: 100_000) + "]]>",
        ]
        for text in texts {
            let read = try ReadPositions(
                gpx: bomb + "]>" + Self.start + "<desc>\(text)</desc>" + Self.point + "</trkseg></trk></gpx>")
            #expect(read.fixes.count == 1)
        }
        let digits = String(repeating: "9", count: 100_000)
        let read = try ReadPositions(
            inside:
                "<wpt lat='1' lon='2'><ele>\(digits)</ele><sat>\(digits)</sat><hdop>1e999999999999</hdop><dgpsid>-1</dgpsid><time>\(digits)</time></wpt>"
        )
        #expect(read.fixes[0].altitudeMSL.isNaN)
        #expect(read.skies.isEmpty)
    }

    @Test("Other files and encodings are rejected with a remedy")
    func others() throws {
        #expect(message("<gpx></gpx>")?.contains("contains no points") == true)
        #expect(
            message("<gpx><wpt lat='x' lon='2'/></gpx>")?.contains(
                "latitude or longitude of a point is missing or out of range") == true)
        for (text, expected) in [
            ("<?xml version='1.0' encoding='UTF-16'?><gpx/>", "iconv -f UTF-16"),
            ("<html></html>", "GPX begins with <gpx>"),
        ] {
            do throws(DeviceError) {
                _ = try RecordingFile.read([UInt8](text.utf8), name: "t.gpx")
                Issue.record("\(text) was read")
            } catch {
                #expect(error.message.contains(expected), "\(error.message)")
            }
        }
    }

    @Test("Random changes never crash the process")
    func changes() throws {
        let text =
            "<?xml version='1.0'?>\n" + Self.start + Self.point + "<!-- c --><![CDATA[x]]>" + Self.point
            + "</trkseg></trk></gpx>"
        let bytes = [UInt8](text.utf8)
        let rounds = Int(ProcessInfo.processInfo.environment["FUZZ_ROUNDS"] ?? "") ?? 500
        var state: UInt64 = 88_172_645_463_325_252
        for round in 0..<rounds {
            var changed = bytes
            for _ in 0..<(1 + round % 4) {
                state ^= state << 13
                state ^= state >> 7
                state ^= state << 17
                let marks = [UInt8]("<>&;\"'/!?[]-=:x \n".utf8)
                let mark = Int(truncatingIfNeeded: (state >> 32) % UInt64(marks.count + 4))
                changed[Int(truncatingIfNeeded: state % UInt64(bytes.count))] =
                    mark < marks.count ? marks[mark] : UInt8(truncatingIfNeeded: state >> 40)
            }
            let builder = TraceBuilder(name: "t")
            _ = try? GPXFile.read(changed, name: "t.gpx", to: builder)
        }
    }
}
