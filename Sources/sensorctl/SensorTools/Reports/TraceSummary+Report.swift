// SPDX-License-Identifier: Apache-2.0

import DeviceCore
package import JSONBytes
import Trace
package import TraceEditing

/// A summary as text and as JSON. Both give times in seconds since the start of the trace.
extension TraceSummary {
    package func text(ink: TerminalStyle) -> String {
        var lines: [String] = []
        func row(_ name: String, _ value: String) {
            lines.append("\(ink.bold(name))\(String(repeating: " ", count: max(1, 12 - name.count)))\(value)")
        }
        row("Recording", name)
        if let start = header.start {
            let boot = start.boot.nanoseconds
            let time = CivilDate(start.wallTime).iso8601(decimals: 3)
            // A part of another program's recording has an offset here, but names no clock.
            row("Starts", boot > 0 && !header.clock.isEmpty ? "\(time), \(Self.seconds(boot)) after boot" : time)
        }
        row("Duration", "\(Self.seconds(duration)), \(count) events")
        for (name, value) in [("Recorder", header.recorder), ("Source", header.source), ("Faults", faults)]
        where !value.isEmpty && value != self.name { row(name, value) }
        for receiver in header.devices.map(\.receiver) {
            row("Receiver", [receiver.path, receiver.driver].filter { !$0.isEmpty }.joined(separator: "  "))
        }
        for remark in remarks { row("Damaged", ink.color(214, remark)) }
        if !streams.isEmpty {
            lines.append("")
            lines.append(ink.bold(Self.columns(["Stream", "from", "events", "rate", "gaps", "longest pause"])))
            for stream in streams { lines.append(Self.columns(stream.cells)) }
        }
        if let positions {
            lines.append("")
            for (name, value) in positions.rows { row(name, value) }
        }
        // Compares how far the two clocks advanced between the first and last clock pairs. In a trace without a clock,
        // the event times come from the receiver, so there is no second clock to compare.
        if clocks.count == 2, !header.clock.isEmpty {
            let ahead = (Double(offset(clocks[1])) - Double(offset(clocks[0]))) / 1e9
            let drift = clockDrift.map { " (\(Self.number($0, 1)) ppm fast)" } ?? ""
            row("Clocks", "the machine's clock gained \(Self.number(ahead, 3)) s on the receiver's\(drift)")
        }
        return lines.joined(separator: "\n")
    }

    private func offset(_ pair: ClockPair) -> Int64 { pair.time.subtractingSaturated(pair.receiver.nanoseconds) }

    private static func columns(_ cells: [String]) -> String {
        let widths = [16, 32, 9, 11, 6]
        var line = ""
        for (index, cell) in cells.enumerated() {
            let pad = index < widths.count ? String(repeating: " ", count: max(1, widths[index] - cell.count)) : ""
            line += index == 2 || index == 3 || index == 4 ? "\(pad)\(cell)" : cell + pad
            if index == 4 { line += "  " }
        }
        return line
    }

    /// Formats a duration, such as "3.250 s".
    package static func seconds(_ nanoseconds: Int64) -> String { "\(number(Double(nanoseconds) / 1e9, 3)) s" }

    static func number(_ value: Double, _ decimals: Int) -> String {
        var bytes: [UInt8] = []
        return FixedDecimal.append(value, decimals: decimals, to: &bytes)
            ? String(decoding: bytes, as: UTF8.self) : "unknown"
    }
}

extension TraceSummary.Stream {
    fileprivate var cells: [String] {
        [
            kind, origin, "\(count)", rate.map { "\(TraceSummary.number($0, $0 < 10 ? 2 : 1)) Hz" } ?? "",
            "\(gapCount)",
            longestInterval > 0
                ? "\(TraceSummary.seconds(longestInterval)) at \(TraceSummary.seconds(longestStart))" : "",
        ]
    }
}

extension TraceSummary.Positions {
    fileprivate var rows: [(String, String)] {
        var rows = [("Positions", "\(count), \(fixCount) with a fix, \(threeDimensionalCount) with an altitude")]
        guard fixCount > 0 else { return rows }
        let number = TraceSummary.number
        rows.append(
            ("Area", "\(number(south, 5)) to \(number(north, 5)) north, \(number(west, 5)) to \(number(east, 5)) east"))
        rows.append(("Distance", distance < 10_000 ? "\(number(distance, 0)) m" : "\(number(distance / 1000, 1)) km"))
        if !medianError.isNaN {
            rows.append(("Error", "\(number(medianError, 1)) m, the median of the receivers' estimates"))
        }
        if let firstTime, let lastTime {
            rows.append(
                ("Times", "\(CivilDate(firstTime).iso8601(decimals: 3)) to \(CivilDate(lastTime).iso8601(decimals: 3))")
            )
        }
        return rows
    }
}

extension TraceSummary: Report {
    package func write(to writer: inout JSONWriter) {
        writer.line { writer in
            writer.member("name", name)
            if let start = header.start {
                writer.member("start", CivilDate(start.wallTime).iso8601(decimals: 9))
                // Recordings of other programs name no clock, and do not contain the time since boot.
                if !header.clock.isEmpty { writer.member("boot", Double(start.boot.nanoseconds) / 1e9) }
            }
            writer.members(["duration": Double(duration) / 1e9, "events": count])
            writer.memberIfPresent("recorder", header.recorder.isEmpty ? nil : header.recorder)
            writer.memberIfPresent("source", header.source.isEmpty ? nil : header.source)
            if !faults.isEmpty {
                // `faults` already contains JSON.
                writer.key("faults")
                writer.raw(faults.utf8)
            }
            writer.objects("streams", streams) { stream in
                [
                    "kind": stream.kind, "origin": stream.origin, "count": stream.count,
                    "first": Double(stream.first) / 1e9, "last": Double(stream.last) / 1e9,
                    "rate": stream.rate ?? Double.nan, "gaps": stream.gapCount,
                    "longest": Double(stream.longestInterval) / 1e9, "longestStart": Double(stream.longestStart) / 1e9,
                ]
            }
            if let positions { writer.object("positions", positions.writeMembers) }
            writer.objects("clocks", clocks) { pair in
                ["time": Double(pair.time) / 1e9, "receiver": CivilDate(pair.receiver).iso8601(decimals: 9)]
            }
            writer.memberIfPresent("clockDrift", clockDrift)
            writer.member("warnings", warningCount)
            writer.member("damage", remarks)
        }
    }
}

extension TraceSummary.Positions {
    fileprivate func writeMembers(to writer: inout JSONWriter) {
        writer.members([
            "count": count, "fixes": fixCount, "withAltitude": threeDimensionalCount, "medianError": medianError,
            "south": south, "west": west, "north": north, "east": east, "distance": distance,
        ])
        guard let firstTime, let lastTime else { return }
        writer.member("firstTime", CivilDate(firstTime).iso8601(decimals: 3))
        writer.member("lastTime", CivilDate(lastTime).iso8601(decimals: 3))
    }
}
