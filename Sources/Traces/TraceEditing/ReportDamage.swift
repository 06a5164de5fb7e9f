// SPDX-License-Identifier: Apache-2.0

import DeviceCore
package import GPSDProtocol
package import Trace

/// The position reports of a trace that are damaged or hold impossible numbers.
///
/// Playback uses the rest of such a report, as gpsd's clients do; commands that inspect or convert a trace print the
/// remarks.
package struct ReportDamage: Sendable {
    private var diagnostics = InputDiagnostics()

    package init() {}

    /// Reads a whole trace.
    package init(_ trace: TraceFile) {
        trace.bytes.withUnsafeBytes { bytes in
            var cursor = TraceCursor(trace)
            var decoder = GPSDDecoder()
            while let record = cursor.next(bytes) {
                if record.kind == .gpsd {
                    let report = decoder.decode(UnsafeRawBufferPointer(rebasing: bytes[record.range]))
                    take(report, decoder, line: cursor.line)
                } else if record.isDamagedReport(in: bytes) {
                    take(text: record.line(in: bytes), &decoder, line: cursor.line)
                }
            }
        }
    }

    /// Records the problems of a report that the decoder has just read.
    ///
    /// - Parameter report: nil for a position.
    package mutating func take(_ report: GPSDReport?, _ decoder: GPSDDecoder, line: Int) {
        if case .malformed(let report)? = report {
            diagnostics.record("a report is damaged and was ignored", line: line, text: report.description)
        }
        diagnostics.record(
            "a number is impossible and was treated as unknown", at: "line \(line)", text: "",
            count: decoder.impossibleValues)
    }

    /// Records the problems of a line that a trace holds as text because it is not a complete report.
    package mutating func take(text line: [UInt8], _ decoder: inout GPSDDecoder, line number: Int) {
        let report = line.withUnsafeBytes { decoder.decode($0) }
        take(report, decoder, line: number)
    }

    /// One sentence for each problem.
    package var remarks: [String] { diagnostics.remarks }
}
