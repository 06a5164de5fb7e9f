// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import GPSDProtocol
import JSONBytes
import NMEAFormat

/// Which reports gpsd sends to whom.
enum ReportRouting {
    /// True when a client with that policy gets the report.
    static func isSent(_ report: GPSDReport, _ line: [UInt8], _ policy: GPSDWatch, _ path: String) -> Bool {
        guard policy.watches(path) else { return false }
        switch report {
        case .other(.pps): return policy.json || policy.pps
        case .other(.toff): return policy.pps
        case .other(.ais):
            guard policy.json else { return false }
            // Type 24 comes in two parts, which are put together for those who do not want them apart.
            return isPart(line).map { $0 == policy.split24 } ?? true
        default: return policy.json
        }
    }

    /// For AIS type 24: true for a half of it, false for both together. Nil for all else.
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

    /// True when the report has what gpsd sends with "timing" only.
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
    var isPosition: Bool { if case .position = self { true } else { false } }

    /// The sentences of NMEA 0183 that a receiver would have sent for it, without line ends: for traces that do not have
    /// the receiver's own. None for reports that sentences have nothing for.
    ///
    /// - Parameter sky: the satellites that go with a position; nil when they were told before.
    func sentences(with sky: SkyReport?) -> [[UInt8]] {
        switch self {
        case .position(let position): NMEAEncoder.sentences(position, sky: sky)
        case .attitude(let attitude): NMEAEncoder.sentences(attitude)
        default: []
        }
    }
}
