// SPDX-License-Identifier: Apache-2.0

import JSONBytes
import Testing

@testable import DeviceCore

@Suite("Sanitized text")
struct TerminalSanitizerTests {
    @Test(
        "Surrounding whitespace is removed, and terminal control characters are replaced",
        arguments: [
            ("  Lab  Hub \n", "Lab  Hub"), ("Größe 秤 👩‍🔬", "Größe 秤 👩‍🔬"), ("a\u{1b}[2Jb", "a\u{fffd}[2Jb"),
            ("a\u{0}b\u{7f}c\u{9b}d", "a\u{fffd}b\u{fffd}c\u{fffd}d"), ("a\nb\tc", "a b c"),
            ("x\u{202e}y\u{2066}z", "x\u{fffd}y\u{fffd}z"), (" \t\r\n", ""), ("", ""),
        ])
    func sanitized(text: String, expected: String) {
        #expect(TerminalSanitizer.sanitized(text) == expected)
    }

    @Test(
        "Multi-line text keeps tabs, line feeds and letters of all scripts; control characters are replaced",
        arguments: [
            ("a\tb\r\nc\n", "a\tb\nc\n"), ("a\rb", "a\u{fffd}b"), ("a\r", "a\u{fffd}"), ("Größe 秤 👩‍🔬\n", "Größe 秤 👩‍🔬\n"),
            ("\u{1b}]0;x\u{7}", "\u{fffd}]0;x\u{fffd}"), ("a\u{9b}31m\u{7f}", "a\u{fffd}31m\u{fffd}"),
            ("\u{202e}x\u{2066}y\u{200f}z\u{61c}", "\u{fffd}x\u{fffd}y\u{fffd}z\u{fffd}"),
            ("\u{feff}a\u{e0041}", "\u{fffd}a\u{fffd}"),
            ("plain", "plain"), ("", ""),
        ])
    func lines(text: String, expected: String) {
        #expect(TerminalSanitizer.sanitizedLines(text) == expected)
        // A file name must not begin a new line in a log.
        #expect(DeviceError(.silent, text).message == expected.replacing("\n", with: " "))
    }

    @Test("JSON escapes exactly the non-ASCII characters that terminal sanitizing replaces")
    func sameAsJSON() {
        for number in Array(0x80...0xffff) + Array(0xe0000...0xe0100) as [UInt32] {
            guard let scalar = Unicode.Scalar(number) else { continue }
            let text = String(scalar)
            var writer = JSONWriter()
            writer.string(text)
            #expect(
                (TerminalSanitizer.sanitizedLines(text) != text) == writer.bytes.contains(UInt8(ascii: "\\"))
                    || number == 0xfffd)
        }
    }

    @Test("Long text is truncated between characters")
    func bounded() {
        let text = TerminalSanitizer.sanitized(String(repeating: "秤", count: 10_000))
        // 170 characters of 3 bytes take 510 bytes, and a 171st would make it 513.
        #expect(text == String(repeating: "秤", count: 170))
        #expect(TerminalSanitizer.sanitized(String(repeating: " ", count: 10_000) + "a") == "a")
    }
}
