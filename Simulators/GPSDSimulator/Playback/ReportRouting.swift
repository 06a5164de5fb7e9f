// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import GPSDProtocol
import JSONBytes
import NMEAFormat

enum ReportRouting {
    static func isSent(_ report: GPSDReport, _ line: [UInt8], _ policy: GPSDWatch, _ path: String) -> Bool {
        guard policy.watches(path) else { return false }
        switch report {
        case .other(.pps): return policy.json || policy.pps
        case .other(.toff): return policy.pps
        case .other(.ais):
            guard policy.json else { return false }
            // An AIS message of type 24 has two parts. Clients that enable "split24" receive both parts; other clients
            // receive one merged message.
            return isPart(line).map { $0 == policy.split24 } ?? true
        default: return policy.json
        }
    }

    /// Returns true for one part of an AIS message of type 24, false for the merged message, and nil for all other
    /// reports.
    private static func isPart(_ line: [UInt8]) -> Bool? {
        var type = 0.0
        var part = ""
        visit(line) { key, reader throws(JSONError) in
            if key.word == JSONText.word("type") {
                type = try reader.doubleIfPresent()
            } else if key.word == JSONText.word("part") {
                part = try reader.textIfPresent()?.string() ?? ""
            } else {
                try reader.skipValue()
            }
        }
        return type == 24 && !part.isEmpty ? part != "AB" : nil
    }

    static func receiver(of line: [UInt8]) -> String? {
        var path: String?
        visit(line) { key, reader throws(JSONError) in
            if key.word == JSONText.word("device") {
                path = try reader.textIfPresent()?.string()
            } else {
                try reader.skipValue()
            }
        }
        return path
    }

    /// Returns true if the report contains members that gpsd sends only to clients that requested "timing".
    static func hasTiming(_ line: [UInt8]) -> Bool {
        var hasTiming = false
        visit(line) { key, reader throws(JSONError) in
            if key.word == JSONText.word("rtime") || key.word == JSONText.word("sor") { hasTiming = true }
            try reader.skipValue()
        }
        return hasTiming
    }

    private static func visit(_ line: [UInt8], _ body: (JSONText, inout JSONReader) throws(JSONError) -> Void) {
        line.withUnsafeBytes { bytes in
            var reader = JSONReader(bytes)
            do throws(JSONError) {
                try reader.beginObject()
                while let key = try reader.nextKey() { try body(key, &reader) }
            } catch {}
        }
    }
}

extension GPSDReport {
    /// The receiver and the time of a position, sky or attitude report, or nil for other reports.
    var origin: (receiver: String, time: WallTime?)? {
        switch self {
        case .position(let report): (report.receiver, report.time)
        case .sky(let report): (report.receiver, report.time)
        case .attitude(let report): (report.receiver, report.time)
        default: nil
        }
    }

    var isPosition: Bool { if case .position = self { true } else { false } }

    /// Returns the NMEA 0183 sentences for the report, as a receiver would send them, without line endings. `sky`
    /// contains the satellites for a position. It is nil if there are none or if they have already been sent.
    func sentences(with sky: SkyReport?) -> [[UInt8]] {
        switch self {
        case .position(let position): NMEAEncoder.sentences(position, sky: sky)
        case .attitude(let attitude): NMEAEncoder.sentences(attitude)
        default: []
        }
    }
}
