// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import GPSDProtocol
import Trace

@testable import TraceEditing

/// Returns a trace of a header and these lines.
func makeTrace(
    _ lines: [String], sensors: String = "", start: String? = nil, name: String = "t"
) throws -> TraceFile {
    var header = #"{"format":"device-services-trace","version":1"#
    if let start { header += #","start":{"utc":"\#(start)","boot":100.0}"# }
    if !sensors.isEmpty { header += #","sensors":[\#(sensors)]"# }
    return try TraceFile(
        bytes: [UInt8]((header + "}\n" + lines.map { $0 + "\n" }.joined()).utf8), name: name)
}

extension TraceFile {
    /// The event lines, with times in their shortest form.
    var eventLines: [String] {
        String(decoding: bytes, as: UTF8.self).split(separator: "\n").dropFirst().map { line in
            var text = String(line)
            for key in [#""t":"#, #""stamp":"#] {
                guard let range = text.range(of: key),
                    let end = text[range.upperBound...].firstIndex(where: { $0 == "," || $0 == "}" })
                else { continue }
                let number = Double(text[range.upperBound..<end]) ?? .nan
                text.replaceSubrange(range.upperBound..<end, with: "\(number)")
            }
            return text
        }
    }

    /// The positions in the trace.
    var positions: [PositionReport] {
        var decoder = GPSDDecoder()
        var reading = TimedEventReader(self)
        var positions: [PositionReport] = []
        while let event = reading.next() {
            if case .gpsd(let line) = event.contents, let report = decoder.position(line) { positions.append(report) }
        }
        return positions
    }
}

/// Returns a TPV report.
func tpvLine(_ latitude: Double, _ longitude: Double, second: Int = 0, more: String = "") -> String {
    let time = "2024-05-01T10:00:\(second < 10 ? "0" : "")\(second).000Z"
    return
        #"{"class":"TPV","device":"/dev/ttyACM0","mode":3,"time":"\#(time)","lat":\#(latitude),"lon":\#(longitude)\#(more)}"#
}
