// SPDX-License-Identifier: Apache-2.0

import Foundation
import SimulatedDevice
import TraceFormats

/// Recorded and synthetic readings.
enum Recordings {
    /// The folder of recordings in the package.
    static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../../Simulators/Traces").standardizedFileURL

    static func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

    static func open(_ name: String) throws -> TraceFile { try RecordingFile.open(path(name)).trace }

    static func text(_ name: String) throws -> String { try String(contentsOfFile: path(name), encoding: .utf8) }

    /// Returns the reports with a position from a gpsd recording, as JSON.
    static func fixes(_ name: String) throws -> [[String: Any]] {
        try text(name).split(whereSeparator: \.isNewline).filter { $0.contains(#""class":"TPV""#) }
            .compactMap { try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any] }
            .filter { $0["lat"] != nil }
    }

    /// Creates a trace from events, each with its time in seconds.
    static func trace(sensors: String = "", _ lines: [(time: Double, event: String)]) throws -> TraceFile {
        let header =
            #"{"format":"device-services-trace","version":1,"start":{"utc":"2026-07-01T12:00:00Z","boot":100},"#
            + #""sensors":[\#(sensors)]}"#
        let events = lines.map { String(format: "{\"t\":%.6f,", $0.time) + $0.event + "}" }
        return try TraceFile(bytes: Array(([header] + events).joined(separator: "\n").utf8), name: "made up")
    }

    /// A gpsd report at a time of the trace, which starts `noon` seconds after noon. The error is 2 m, the speed that
    /// of a brisk run.
    static func fix(
        _ time: Double, after noon: Double = 0, _ latitude: Double, _ longitude: Double
    ) -> (time: Double, event: String) {
        // Noon of July 1, 2026.
        let date = Date(timeIntervalSince1970: 1_782_907_200 + noon + time)
        let stamp = date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
        return (
            time,
            #""gpsd":{"class":"TPV","device":"/dev/ttyS0","mode":3,"time":"\#(stamp)","lat":\#(latitude),"#
                + #""lon":\#(longitude),"altHAE":500,"altMSL":450,"speed":5,"eph":2,"epv":4}"#
        )
    }
}

/// Runs the closure with a folder that is removed afterwards.
func withFolder<Result>(_ body: (URL) throws -> Result) throws -> Result {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("example-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    return try body(folder)
}
