// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Trace
import TraceEditing

extension RecordingFormat {
    /// The native trace format, which can contain all events.
    package static let trace = RecordingFormat(
        name: "trace", title: "traces", fileExtensions: [".trace", ".jsonl"], isTriedLast: true,
        detect: { (input) throws(DeviceError) in input.isTrace(.native) ? .certain : nil },
        read: { (input, _) throws(DeviceError) in .trace(try input.trace.get()) },
        writer: { (trace, path, options) throws(DeviceError) in
            let writer = try TraceWriter(whole: path, overwrite: options.overwrite, mode: options.mode)
            let warnings = try TraceEditor.write(trace, to: writer)
            try writer.close()
            return warnings.map(\.description)
        })

    /// Reports from gpsd, one per line, as printed by `gpspipe -w`. Lines that are not reports are copied unchanged.
    ///
    /// If ``ExportOptions/includesArrivalTimes`` is true and the trace has a start time, lines begin with the arrival
    /// time, as printed by `gpspipe -w -uu`. Other programs may not accept such lines.
    public static let gpsd = RecordingFormat(
        name: "gpsd", title: "gpsd reports (gpspipe -w)", fileExtensions: [".json"], supportsArrivalTimes: true,
        isTriedLast: true,
        detect: { (input) throws(DeviceError) in input.isTrace(.gpsd) ? .certain : nil },
        read: { (input, _) throws(DeviceError) in .trace(try input.trace.get()) },
        writer: writeGPSD)

    private static func writeGPSD(
        _ trace: TraceFile, to path: String, options: ExportOptions
    ) throws(DeviceError) -> [String] {
        let bytes = trace.bytes
        var probe = TraceCursor(trace)
        var hasLines = false
        while !hasLines, let record = bytes.withUnsafeBytes({ probe.next($0) }) { hasLines = record.isOfGPSD }
        guard hasLines else {
            throw .invalidTrace("\(trace.name) contains no gpsd reports, so there is nothing to write.")
        }
        var file = try ExportFile(path: path, options)
        var cursor = TraceCursor(trace)
        var skippedContent = SkippedContent()
        skippedContent.add(batteryOf: trace.header)
        var omittedArrivalCount = 0
        while let record = bytes.withUnsafeBytes({ cursor.next($0) }) {
            guard record.isOfGPSD else {
                skippedContent.add(record.kind)
                continue
            }
            if let time = record.time {
                if options.includesArrivalTimes, let start = trace.start {
                    appendArrivalTime(WallTime(nanoseconds: start.nanoseconds.addingSaturated(time)), to: &file.bytes)
                } else {
                    omittedArrivalCount += 1
                }
            }
            file.bytes.append(contentsOf: bytes.withUnsafeBytes { record.line(in: $0) })
            file.bytes.append(UInt8(ascii: "\n"))
            try file.flushIfLarge()
        }
        try file.close()
        var remarks = skippedContent.remarks()
        if omittedArrivalCount > 0 {
            remarks.append(
                options.includesArrivalTimes
                    ? "Arrival times were not written, because the trace does not contain its start time."
                    : "The arrival times of \(omittedArrivalCount) reports were omitted; --stamps writes them.")
        }
        return remarks + cursor.diagnostics.remarks
    }

    /// Appends the arrival time in gpspipe's format, for example `2026-11-21 03:39:22 1795232362.754231: `.
    private static func appendArrivalTime(_ time: WallTime, to bytes: inout [UInt8]) {
        var text: [UInt8] = []
        CivilDate(time).appendISO8601(decimals: 0, to: &text)
        for byte in text where byte != UInt8(ascii: "Z") {
            bytes.append(byte == UInt8(ascii: "T") ? UInt8(ascii: " ") : byte)
        }
        bytes.append(UInt8(ascii: " "))
        bytes.append(contentsOf: "\(time.nanoseconds / 1_000_000_000).".utf8)
        CivilDate.append(Int(time.nanoseconds % 1_000_000_000 / 1000), digits: 6, to: &bytes)
        bytes.append(UInt8(ascii: ":"))
        bytes.append(UInt8(ascii: " "))
    }
}

extension RecordingInput {
    fileprivate func isTrace(_ format: TraceFile.Format) -> Bool {
        guard folder == nil, case .success(let file) = trace else { return false }
        return file.format == format
    }
}

extension TraceRecord {
    fileprivate var isOfGPSD: Bool { kind == .gpsd || kind == .gpsdText }
}
