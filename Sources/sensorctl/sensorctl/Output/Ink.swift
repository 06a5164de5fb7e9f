// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Colours for a terminal; none elsewhere, or when the user wants none (https://no-color.org).
struct Ink {
    let isOn: Bool

    init(_ descriptor: Descriptor) {
        let environment = ProcessInfo.processInfo.environment
        let isRefused = !(environment["NO_COLOR"] ?? "").isEmpty || environment["TERM"] == "dumb"
        isOn = descriptor.isTerminal && !isRefused
    }

    /// False for a terminal that says it can only print.
    static var canMoveCursor: Bool {
        let terminal = ProcessInfo.processInfo.environment["TERM"] ?? ""
        return !terminal.isEmpty && terminal != "dumb"
    }

    /// The text in one of the 256 colours of xterm.
    func color(_ number: Int, _ text: String) -> String { code("38;5;\(number)", text) }

    func dim(_ text: String) -> String { code("2", text) }

    func bold(_ text: String) -> String { code("1", text) }

    private func code(_ code: String, _ text: String) -> String {
        isOn ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
    }
}
