// SPDX-License-Identifier: Apache-2.0

/// Events of a trace that a test puts together.
package enum TraceLines {
    /// In the order of time, as a trace has to be; those of the same time as they come. Each begins with `{"t":`.
    package static func inOrder(_ lines: [String]) -> [String] {
        func time(_ line: String) -> Double { Double(line.dropFirst(5).prefix { $0 != "," }) ?? 0 }
        return lines.enumerated().sorted { (time($0.element), $0.offset) < (time($1.element), $1.offset) }
            .map(\.element)
    }
}
