// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

package import JSONBytes

/// What a verb says once: a page for people, or objects for programs.
package protocol Report {
    /// The page, without the end of its last line.
    func text(ink: Ink) -> String

    /// The objects, one a line.
    func write(to writer: inout JSONWriter)
}

extension JSONWriter {
    /// An object on a line of its own.
    package mutating func line(_ body: (inout JSONWriter) -> Void) {
        object(body)
        newline()
    }

    /// An object on a line of its own that says of what kind it is.
    mutating func line(kind: String, _ body: (inout JSONWriter) -> Void) {
        line { writer in
            writer.member("kind", kind)
            body(&writer)
        }
    }
}

extension SIMD3<Double> {
    /// The components, as JSON lists them.
    package var components: [Double] { [x, y, z] }
}

/// Colours for a terminal.
package struct Ink: Sendable {
    /// False leaves texts as they are.
    package let isOn: Bool

    package init(isOn: Bool) { self.isOn = isOn }

    /// The text in one of the 256 colours of xterm.
    package func color(_ number: Int, _ text: String) -> String { code("38;5;\(number)", text) }
    package func dim(_ text: String) -> String { code("2", text) }
    package func bold(_ text: String) -> String { code("1", text) }

    private func code(_ code: String, _ text: String) -> String { isOn ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text }
}
