// SPDX-License-Identifier: Apache-2.0

import DeviceCore
package import GPSDProtocol
package import Trace

/// Problems in a trace's gpsd reports: damaged reports, invalid members and impossible values.
///
/// Playback uses the valid part of a damaged report, as gpsd's clients do. Commands that inspect or convert a trace
/// print the remarks.
package struct ReportDiagnostics: Sendable {
    private var diagnostics = InputDiagnostics()
    /// The warnings about lines of the trace. Empty unless these diagnostics were created from a whole trace.
    package private(set) var lineWarnings = InputDiagnostics()

    package init() {}

    package init(_ trace: TraceFile) {
        trace.bytes.withUnsafeBytes { bytes in
            var cursor = TraceCursor(trace)
            var decoder = GPSDDecoder()
            while let event = cursor.next(bytes) {
                if event.kind == .gpsd {
                    let line = UnsafeRawBufferPointer(rebasing: bytes[event.range])
                    record(decoder.decode(line), decoder, bytes: line, line: cursor.line)
                } else if event.isDamagedReport(in: bytes) {
                    record(text: event.line(in: bytes), &decoder, line: cursor.line)
                }
            }
            lineWarnings = cursor.diagnostics
        }
    }

    /// Records the problems in the report that `decoder` has just decoded. `report` is used only to recognize a
    /// malformed report, so it may be nil for a position.
    package mutating func record(
        _ report: GPSDReport?, _ decoder: GPSDDecoder, bytes: UnsafeRawBufferPointer, line: Int
    ) {
        if let offset = decoder.firstInvalidOffset {
            diagnostics.record(
                "a member of a report cannot be read and was ignored", line: line, text: Self.member(bytes, at: offset))
        }
        if case .malformed(let report)? = report {
            diagnostics.record("a report is damaged and was ignored", line: line, text: report.description)
        }
        diagnostics.record(
            "a number is impossible and was treated as unknown", at: "line \(line)", text: "",
            count: decoder.outOfRangeCount)
    }

    /// Records the problems in an incomplete report, which the trace stores as a line of plain text.
    package mutating func record(text line: [UInt8], _ decoder: inout GPSDDecoder, line number: Int) {
        line.withUnsafeBytes { record(decoder.decode($0), decoder, bytes: $0, line: number) }
    }

    /// Returns an excerpt for messages: the key of the member at the offset, and the beginning of the member's value.
    private static func member(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> String {
        guard bytes.indices.contains(offset) else { return "" }
        let separators = [UInt8(ascii: ","), UInt8(ascii: "{")]
        let start = bytes[..<offset].suffix(64).lastIndex { separators.contains($0) }.map { $0 + 1 } ?? offset
        let end = bytes[offset...].prefix(64).firstIndex { [UInt8(ascii: ","), UInt8(ascii: "}")].contains($0) }
        return String(decoding: bytes[start..<(end ?? min(offset + 64, bytes.count))], as: UTF8.self)
    }

    package var remarks: [String] { diagnostics.remarks }
}
