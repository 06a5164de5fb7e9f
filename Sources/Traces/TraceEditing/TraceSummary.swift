// SPDX-License-Identifier: Apache-2.0

package import DeviceCore
import Geodesy
import GPSDProtocol
package import Trace

/// A summary of a trace: its streams with their rates and gaps, its clocks, and the quality of its positions.
package struct TraceSummary: Sendable {
    /// The events of one kind from one origin.
    package struct Stream: Sendable {
        /// The kind of event: the class of gpsd's reports ("TPV", "SKY" and others), the kind of a sensor, "battery",
        /// "accessory", "beacon", "loss", or "text" for other lines from gpsd.
        package var kind: String
        /// The origin: a receiver's path, a sensor's id, an accessory's id or a beacon's UUID; empty if unknown.
        package var origin: String
        /// The number of events.
        package var count = 0
        /// The time of the first event, in nanoseconds since the start of the trace.
        package var first: Int64 = 0
        /// The time of the last event, in nanoseconds since the start of the trace.
        package var last: Int64 = 0
        /// The median interval between two events in nanoseconds, from at most the first 4096 intervals; 0 for fewer
        /// than two events.
        package var interval: Int64 = 0
        /// The number of gaps: intervals of at least one second that are longer than five median intervals.
        package var gapCount = 0
        /// The longest interval between two events, in nanoseconds.
        package var longestInterval: Int64 = 0
        /// The time at which the longest interval began, in nanoseconds since the start of the trace.
        package var longestStart: Int64 = 0

        /// The rate in hertz, from the median interval; nil for fewer than two events, or if the median interval is 0.
        package var rate: Double? { interval > 0 ? 1e9 / Double(interval) : nil }
    }

    /// Statistics of the positions.
    package struct Positions: Sendable {
        /// The number of position reports, with and without a fix.
        package var count = 0
        /// The number of reports with latitude and longitude.
        package var fixCount = 0
        /// The number of reports that also contain an altitude.
        package var threeDimensionalCount = 0
        /// The median of the estimated horizontal errors (`eph`), in metres, from at most the first 65,536 reports; NaN
        /// if there was none.
        package var medianError = Double.nan
        /// The southern limit of the area, in degrees north; NaN without a fix.
        package var south = Double.nan
        /// The western limit in degrees east; NaN without a fix. Greater than `east` if the track crosses the 180°
        /// meridian. If the track goes around the Earth, the limits are -180 and 180.
        package var west = Double.nan
        /// The northern limit in degrees north; NaN without a fix.
        package var north = Double.nan
        /// The eastern limit in degrees east; NaN without a fix.
        package var east = Double.nan
        /// The length of the track between fixes, in metres. Includes jumps of any length and the noise at rest.
        package var distance = 0.0
        /// The time in the first report with a time; nil if there was none.
        package var firstTime: WallTime?
        /// The time in the last report with a time; nil if there was none.
        package var lastTime: WallTime?
    }

    /// The times of the machine and of the receiver at the same instant.
    package struct ClockPair: Sendable {
        /// The arrival time of the report, in nanoseconds since the start of the trace.
        package var time: Int64
        /// The receiver's time in the report.
        package var receiver: WallTime
    }

    package var name = ""
    /// The header; for gpsd's text, a header with the known members.
    package var header = TraceHeader()
    /// The streams in order of their first event.
    package var streams: [Stream] = []
    /// The number of all events.
    package var count = 0
    /// The time of the last event, in nanoseconds since the start of the trace.
    package var duration: Int64 = 0
    /// Statistics of the positions; nil if there is no position report.
    package var positions: Positions?
    /// The clocks at the first and the last report with a time.
    package var clocks: [ClockPair] = []
    /// Remarks about invalid lines and reports, with the number of occurrences and the first occurrence.
    package var remarks: [String] = []
    /// The number of warnings about lines that were not or not completely read.
    package var warningCount = 0
    /// The faults that were injected into the trace, as JSON from the header; empty if there were none.
    package var faults = ""

    /// The drift of the machine's clock relative to the receiver's over the whole trace, in parts per million; positive
    /// if the machine's clock runs fast. nil for less than 60 s, and for traces without arrival times.
    package var clockDrift: Double? {
        guard let first = clocks.first, let last = clocks.last, header.clock != "",
            case let machine = Double(last.time) - Double(first.time), machine >= 60e9,
            case let receiver = Double(last.receiver.nanoseconds) - Double(first.receiver.nanoseconds), receiver > 0
        else { return nil }
        return (machine - receiver) / receiver * 1e6
    }
}

extension TraceSummary {
    /// The maximum number of distinguished streams. Events of further streams are counted in the last one.
    package static let maximumStreams = 1024

    /// Reads the whole trace.
    package init(_ trace: TraceFile) {
        name = trace.name
        header = TimedEventReader.header(of: trace)
        faults =
            header.otherMembers.first { $0.name == "faults" }.map { String(decoding: $0.json, as: UTF8.self) } ?? ""
        var reading = TimedEventReader(trace)
        var meters = StreamStatistics()
        var positionStatistics = PositionStatistics()
        var decoder = GPSDDecoder()
        var damage = ReportDiagnostics()
        while let event = reading.next() {
            let time = event.time ?? 0
            count += 1
            duration = max(duration, time)
            switch event.contents {
            case .gpsdText(let line) where line.first != UInt8(ascii: "{"): meters.record("text", "", at: time)
            case .gpsd(let line), .gpsdText(let line):
                let report = line.withUnsafeBytes { bytes in
                    let report = decoder.decode(bytes)
                    damage.record(report, decoder, bytes: bytes, line: reading.line)
                    return report
                }
                meters.record(report.kind, report.origin, at: time)
                if case .position(let report) = report { positionStatistics.add(report) }
                if let receiver = report.time {
                    let pair = ClockPair(time: time, receiver: receiver)
                    if clocks.count < 2 { clocks.append(pair) } else { clocks[1] = pair }
                }
            case .sample(_, let kind, let sensor, let stamp): meters.record(kind.rawValue, sensor, at: stamp ?? time)
            case .battery: meters.record("battery", "", at: time)
            case .accessory(let event): meters.record("accessory", event.accessory, at: time)
            case .beacon(.sighting(let sighting)): meters.record("beacon", "\(sighting.identity.uuid)", at: time)
            case .beacon: meters.record("loss", "beacons", at: time)
            case .lost, .regained: meters.record("loss", "gpsd", at: time)
            case .sensorLost(_, let sensor), .sensorRegained(let sensor): meters.record("loss", sensor, at: time)
            }
        }
        streams = meters.streams
        positions = positionStatistics.positions
        remarks = damage.remarks + reading.diagnostics.remarks
        warningCount = reading.warningCount
    }
}

extension GPSDReport {
    /// The name of the report's class.
    fileprivate var kind: String {
        switch self {
        case .position: "TPV"
        case .sky: "SKY"
        case .attitude: "ATT"
        case .version: "VERSION"
        case .devices: "DEVICES"
        case .device: "DEVICE"
        case .watch: "WATCH"
        case .error: "ERROR"
        case .other(let name): "\(name)".uppercased()
        case .malformed: "malformed"
        }
    }

    fileprivate var origin: String {
        if case .device(let receiver) = self { receiver.path } else { receiver ?? "" }
    }

    fileprivate var time: WallTime? { if case .position(let report) = self { report.time } else { nil } }
}
