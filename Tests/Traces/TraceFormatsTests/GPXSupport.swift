// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import GPSDProtocol
import Testing
import Trace

@testable import TraceFormats

/// The contents of a position recording.
struct ReadPositions {
    var trace: TraceFile
    var remarks: [String]
    /// All TPV reports, with times in seconds since the start.
    var reports: [(seconds: Double, report: PositionReport)] = []
    /// All SKY reports.
    var skies: [SkyReport] = []

    /// The TPV reports with a fix.
    var fixes: [PositionReport] { reports.map(\.report).filter(\.hasFix) }
    /// The times of all TPV reports in seconds since the start.
    var times: [Double] { reports.map(\.seconds) }

    init(_ trace: TraceFile, remarks: [String] = []) {
        self.trace = trace
        self.remarks = remarks
        trace.bytes.withUnsafeBytes { bytes in
            var cursor = TraceCursor(trace)
            var decoder = GPSDDecoder()
            while let record = cursor.next(bytes) {
                guard case .gpsd = record.kind else { continue }
                var report = PositionReport()
                switch decoder.decode(UnsafeRawBufferPointer(rebasing: bytes[record.range]), position: &report) {
                case nil: reports.append((Double(record.time ?? 0) / 1e9, report))
                case .sky(let sky)?: skies.append(sky)
                default: break
                }
            }
        }
    }

    /// Reads a complete GPX text.
    init(gpx text: String, options: GPXOptions = .init()) throws(DeviceError) {
        try self.init(gpx: [UInt8](text.utf8), options: options)
    }

    init(gpx bytes: [UInt8], options: GPXOptions = .init()) throws(DeviceError) {
        var all = RecordingOptions()
        all.gpx = options
        let file = try RecordingFile.read(bytes, name: "t.gpx", options: all)
        #expect(file.format == .gpx)
        self.init(file.trace, remarks: file.remarks)
    }

    /// Reads GPX with this text inside the root element.
    init(inside text: String, version: String = "1.1", options: GPXOptions = .init()) throws(DeviceError) {
        try self.init(
            gpx: "<?xml version=\"1.0\"?>\n<gpx version=\"\(version)\" creator=\"t\">\n\(text)\n</gpx>\n",
            options: options)
    }

    func hasRemark(_ text: String) -> Bool { remarks.contains { $0.contains(text) } }
}

/// Returns a trace of lines from gpsd at these times in seconds.
func gpsdTrace(_ lines: [(Double, String)], start: Int64 = 1_700_000_000) throws -> TraceFile {
    let builder = TraceBuilder(name: "t.trace")
    try builder.write(TraceHeader(start: .init(wallTime: WallTime(nanoseconds: start * 1_000_000_000), boot: .zero)))
    for (time, line) in lines {
        try builder.write(TraceEvent(time: Int64((time * 1e9).rounded()), .gpsd([UInt8](line.utf8))))
    }
    return try builder.file()
}

/// Writes a trace with an exporter, and returns the text and the remarks.
func exported(
    _ trace: TraceFile, _ options: ExportOptions = .init(),
    _ write: (TraceFile, String, ExportOptions) throws(DeviceError) -> [String]
) throws -> (text: String, remarks: [String]) {
    try Files.withFolder { folder in
        let remarks = try write(trace, folder + "/out", options)
        return (String(decoding: try Files.bytes(folder + "/out"), as: UTF8.self), remarks)
    }
}
