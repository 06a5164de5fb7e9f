// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import DeviceCore

@Suite("Text that people are shown")
struct ShownTextTests {
    @Test(
        "Blanks around go, what controls a terminal is replaced, the rest stays as it is",
        arguments: [
            ("  Lab  Hub \n", "Lab  Hub"), ("Größe 秤 👩‍🔬", "Größe 秤 👩‍🔬"), ("a\u{1b}[2Jb", "a\u{fffd}[2Jb"),
            ("a\u{0}b\u{7f}c\u{9b}d", "a\u{fffd}b\u{fffd}c\u{fffd}d"), ("a\nb\tc", "a b c"),
            ("x\u{202e}y\u{2066}z", "x\u{fffd}y\u{fffd}z"), (" \t\r\n", ""), ("", ""),
        ])
    func cleaned(text: String, expected: String) {
        #expect(ShownText.cleaned(text) == expected)
    }

    @Test("Long text is cut between characters")
    func bounded() {
        let text = ShownText.cleaned(String(repeating: "秤", count: 10_000))
        // 170 characters of 3 bytes are 510, and the 171st would be 513.
        #expect(text == String(repeating: "秤", count: 170))
        #expect(ShownText.cleaned(String(repeating: " ", count: 10_000) + "a") == "a")
    }
}
