// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import JSONBytes
import SensorTools
import Testing

@testable import sensorctl

@Suite("Display of bytes in sensorctl talk")
struct TalkViewTests {
    @Test("A row contains sixteen bytes in hexadecimal, followed by the printable characters")
    func hex() {
        let bytes: [UInt8] = [0, 1, 0x41, 0x7E, 0x7F, 0x80, 0xFF, 0x20, 10, 13, 65, 66, 67, 68, 69, 70, 71]
        #expect(
            TalkReading.rows(bytes) == [
                "00 01 41 7e 7f 80 ff 20  0a 0d 41 42 43 44 45 46  ..A~... ..ABCDEF",
                "47                                                G",
            ])
        #expect(TalkReading.rows([]).isEmpty)
    }

    @Test("Control characters are printed in caret notation, and line endings are kept")
    func visible() {
        var view = TerminalFilter()
        #expect(view.filter(Array("a\tb\r\nc\rd".utf8)) == Array("a\tb\nc^Md".utf8))
        #expect(view.filter([0x1B, 0x5B, 0x41, 0, 0x7F, 0xC3, 0xA4]) == Array("^[[A^@^?ä".utf8))
        #expect(view.filter(Array("\u{9b}2J\u{202e}".utf8)) == Array("\u{fffd}2J\u{fffd}".utf8))
        // Characters and line endings that arrive in pieces.
        for text in ["ä", "秤", "👩", "\r\n"] {
            let bytes = Array(text.utf8)
            var filtered: [UInt8] = []
            for byte in bytes { filtered += view.filter([byte]) }
            #expect(filtered == (text == "\r\n" ? [10] : bytes))
        }
        #expect(view.filter([0xC3]) == [] && view.filter([0x41]) == Array("\u{fffd}A".utf8))
        #expect(view.filter([0x9B, 0x80]) == Array("\u{fffd}\u{fffd}".utf8))
        // The last bytes of a session.
        for (end, text) in [([0x41, 13], "A^M"), ([0x41, 0xC3], "A\u{fffd}"), ([0x41], "A")] as [([UInt8], String)] {
            #expect(view.filter(end) + view.finish() == Array(text.utf8))
        }
        #expect(view.finish().isEmpty)
    }

    @Test("Bytes are text if they are UTF-8 without control characters")
    func plain() {
        #expect(TerminalText.plain(Array("12.5 kg\r\n".utf8)) == "12.5 kg\r\n")
        #expect(TerminalText.plain([0xC3, 0xA4]) == "ä")
        #expect(TerminalText.plain([0xC3]) == nil)
        #expect(TerminalText.plain([0x41, 0x00]) == nil)
        #expect(HexDigit.text([0, 0x0F, 0xFF]) == "000fff")
    }

    private static let start = BootTime(nanoseconds: 5_000_000_000)

    @Test("Without `--wait`, a conversation ends one second after the last data is sent or received")
    func quiet() {
        var rest = ConversationEndDetector(initialSpace: 100, plan: TalkOptions(accessory: "x"), now: Self.start)
        let later = Self.start.advanced(bySeconds: 3)
        // 40 bytes are not sent yet.
        #expect(rest.evaluate(space: 60, now: later) == .wait(until: later.advanced(bySeconds: 0.02)))
        let left = later.advanced(bySeconds: 1)
        #expect(rest.evaluate(space: 100, now: left) == .wait(until: left.advanced(bySeconds: 1)))
        let received = left.advanced(bySeconds: 0.9)
        rest.recordReceived(at: received)
        #expect(
            rest.evaluate(space: 100, now: left.advanced(bySeconds: 1)) == .wait(until: received.advanced(bySeconds: 1))
        )
        #expect(rest.evaluate(space: 100, now: received.advanced(bySeconds: 1)) == .done)
    }

    @Test("With `--wait`, a conversation ends after that time, whether or not data arrives")
    func wait() {
        var plan = TalkOptions(accessory: "x")
        plan.wait = 3
        var rest = ConversationEndDetector(initialSpace: 100, plan: plan, now: Self.start)
        #expect(rest.evaluate(space: 100, now: Self.start) == .wait(until: Self.start.advanced(bySeconds: 3)))
        rest.recordReceived(at: Self.start.advanced(bySeconds: 2.9))
        #expect(rest.evaluate(space: 100, now: Self.start.advanced(bySeconds: 3)) == .done)
    }

    @Test("An accessory that reads nothing for ten seconds is stalled, but a slow accessory is not")
    func stalled() {
        var rest = ConversationEndDetector(initialSpace: 100, plan: TalkOptions(accessory: "x"), now: Self.start)
        _ = rest.evaluate(space: 10, now: Self.start.advanced(bySeconds: 9))
        _ = rest.evaluate(space: 11, now: Self.start.advanced(bySeconds: 18))
        let end = Self.start.advanced(bySeconds: 27.9)
        #expect(rest.evaluate(space: 11, now: end) == .wait(until: end.advanced(bySeconds: 0.02)))
        #expect(rest.evaluate(space: 11, now: Self.start.advanced(bySeconds: 28)) == .stalled(bytes: 89))
    }
}
