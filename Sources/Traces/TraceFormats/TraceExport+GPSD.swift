// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

public import DeviceCore
public import Trace

extension TraceExport {
    /// Writes the lines of gpsd as `gpspipe -w` prints them; with stamps as `gpspipe -w -uu` does where the trace says when
    /// they came. Lines that are no reports are written as they are.
    ///
    /// - Parameters:
    ///   - path: The file; "-" is standard output.
    ///   - overwrite: Whether a file of that name may be replaced.
    ///   - hasStamps: Whether the times of arrival are written; other programs may not read such lines.
    /// - Throws: An error when there is nothing of gpsd in the trace, or when the file cannot be written.
    public static func writeGPSD(
        _ trace: TraceFile, to path: String, overwrite: Bool = false, hasStamps: Bool = false
    ) throws(DeviceError) -> [String] {
        let bytes = trace.bytes
        var probe = TraceCursor(trace)
        var hasLines = false
        while !hasLines, let record = bytes.withUnsafeBytes({ probe.next($0) }) { hasLines = record.isOfGPSD }
        guard hasLines else {
            throw DeviceError(
                .invalidTrace, "\(trace.name) holds nothing of gpsd, so there is nothing to write.")
        }
        var file = try ExportFile(path: path, overwrite: overwrite)
        var cursor = TraceCursor(trace)
        var leftOut = LeftOut()
        leftOut.add(batteryOf: trace.header)
        var arrivals = 0
        while let record = bytes.withUnsafeBytes({ cursor.next($0) }) {
            guard record.isOfGPSD else {
                leftOut.add(record.kind)
                continue
            }
            if let time = record.time {
                if hasStamps, let start = trace.start {
                    stamp(WallTime(nanoseconds: start.nanoseconds.addingSaturated(time)), &file.bytes)
                } else {
                    arrivals += 1
                }
            }
            file.bytes.append(contentsOf: bytes.withUnsafeBytes { record.line(in: $0) })
            file.bytes.append(UInt8(ascii: "\n"))
            try file.flushIfLarge()
        }
        try file.close()
        var remarks = leftOut.remarks()
        if arrivals > 0 {
            remarks.append(
                hasStamps
                    ? "There are no times of arrival, as the trace does not say when it began."
                    : "The times at which \(arrivals) reports came were left out; --stamps writes them.")
        }
        return remarks + cursor.warningTexts
    }

    /// `2026-11-21 03:39:22 1795232362.754231: `
    private static func stamp(_ time: WallTime, _ bytes: inout [UInt8]) {
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

extension TraceRecord {
    /// True for what gpsd sent.
    fileprivate var isOfGPSD: Bool { kind == .gpsd || kind == .gpsdText }
}
