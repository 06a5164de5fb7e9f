// SPDX-License-Identifier: Apache-2.0

/// The events of a trace that a test composes.
package enum TraceLines {
    /// Sorts the lines by time, as a trace requires, and keeps the order of equal times. Each line begins with `{"t":`.
    package static func inOrder(_ lines: [String]) -> [String] {
        func time(_ line: String) -> Double { Double(line.dropFirst(5).prefix { $0 != "," }) ?? 0 }
        return lines.enumerated().sorted { (time($0.element), $0.offset) < (time($1.element), $1.offset) }
            .map(\.element)
    }
}
