// SPDX-License-Identifier: Apache-2.0

import DeviceCore
package import GPSDProtocol
package import Trace

/// The reports of gpsd in a trace that say less than they should: damaged ones, and numbers that cannot be.
///
/// A trace is played with them all the same, as gpsd's clients do. Whoever looks at it or makes something of it is told.
package struct ReportDamage: Sendable {
    private var damaged = (count: 0, line: 0, what: "")
    private var impossible = (count: 0, line: 0)

    /// Nothing yet.
    package init() {}

    /// That of a whole trace.
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

    /// Looks at a report, and at what its decoder says of it; nil for that of a position.
    package mutating func take(_ report: GPSDReport?, _ decoder: GPSDDecoder, line: Int) {
        if case .malformed(let report)? = report {
            if damaged.count == 0 { damaged = (0, line, report.description) }
            damaged.count += 1
        }
        guard decoder.impossibleValues > 0 else { return }
        if impossible.count == 0 { impossible.line = line }
        impossible.count += decoder.impossibleValues
    }

    /// Looks at a line that a trace holds as text because it is no whole report.
    package mutating func take(text line: [UInt8], _ decoder: inout GPSDDecoder, line number: Int) {
        let report = line.withUnsafeBytes { decoder.decode($0) }
        take(report, decoder, line: number)
    }

    /// A sentence about each kind.
    package var remarks: [String] {
        var remarks: [String] = []
        if damaged.count > 0 {
            let count =
                damaged.count == 1
                ? "1 report of gpsd is damaged and says" : "\(damaged.count) reports of gpsd are damaged and say"
            remarks.append("\(count) nothing; the first on line \(damaged.line) (\(damaged.what))")
        }
        if impossible.count > 0 {
            let count = impossible.count == 1 ? "1 number" : "\(impossible.count) numbers"
            remarks.append(
                "\(count) in reports of gpsd cannot be, and count as unknown; the first on line \(impossible.line)"
            )
        }
        return remarks
    }
}
