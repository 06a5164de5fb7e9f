// SPDX-License-Identifier: Apache-2.0

package import DeviceCore
import Geodesy
import GPSDProtocol
package import Trace

/// A summary of a trace: its streams with their rates and gaps, its clocks, and the quality of its positions.
package struct TraceSummary: Sendable {
    /// All events of the same kind and origin.
    package struct Stream: Sendable {
        /// The kind of event: a gpsd report class ("TPV", "SKY" and others), a sensor kind, "battery", "accessory",
        /// "beacon", "loss", "malformed" for an invalid report, or "text" for other lines from gpsd.
        package var kind: String
        /// The origin: a receiver's path, a sensor's ID, an accessory's ID or a beacon's UUID. For a loss, it is a
        /// sensor's ID, "gpsd" or "beacons". Empty if unknown.
        package var origin: String
        package var count = 0
        /// The times of the first and last event, in nanoseconds since the start of the trace.
        package var first: Int64 = 0
        package var last: Int64 = 0
        /// The median interval between consecutive events, in nanoseconds, or 0 if there are fewer than two events.
        /// Only the first 4096 intervals are used.
        package var interval: Int64 = 0
        /// The number of gaps, at most 4096. A gap is an interval of at least one second that is longer than five times
        /// the median interval.
        package var gapCount = 0
        /// The longest interval between consecutive events, in nanoseconds.
        package var longestInterval: Int64 = 0
        /// The start of the longest interval, in nanoseconds since the start of the trace.
        package var longestStart: Int64 = 0

        /// The rate in hertz, computed from the median interval, or nil if that interval is 0.
        package var rate: Double? { interval > 0 ? 1e9 / Double(interval) : nil }
    }

    package struct Positions: Sendable {
        /// The number of position reports, including those without a fix.
        package var count = 0
        /// The number of reports that contain latitude and longitude.
        package var fixCount = 0
        /// The number of reports that contain latitude, longitude and altitude.
        package var threeDimensionalCount = 0
        /// The median estimated horizontal error (`eph`) in metres, or NaN if no report contains one. Only the first
        /// 65,536 errors are used.
        package var medianError = Double.nan
        /// The limits of the area that the positions cover, in degrees north or east. NaN if there is no fix.
        package var south = Double.nan
        /// The western limit. It is greater than `east` if the track crosses the 180° meridian. If the track circles
        /// the Earth, the limits are -180 and 180.
        package var west = Double.nan
        package var north = Double.nan
        package var east = Double.nan
        /// The sum of the distances between consecutive fixes, in metres. It includes jumps of any length, and the
        /// position noise of a stationary receiver.
        package var distance = 0.0
        /// The first and last times in the reports, or nil if no report contains a time.
        package var firstTime: WallTime?
        package var lastTime: WallTime?
    }

    /// The machine's time and the receiver's time at the same instant.
    package struct ClockPair: Sendable {
        /// The arrival time of the report, in nanoseconds since the start of the trace.
        package var time: Int64
        package var receiver: WallTime
    }

    package var name = ""
    /// The header. For gpsd output, only the known members are set.
    package var header = TraceHeader()
    /// The streams in order of their first events.
    package var streams: [Stream] = []
    package var count = 0
    /// The time of the last event, in nanoseconds since the start of the trace.
    package var duration: Int64 = 0
    package var positions: Positions?
    /// The clock pairs of the first and last reports that contain a receiver time.
    package var clocks: [ClockPair] = []
    /// Remarks about invalid lines and reports, grouped by problem.
    package var remarks: [String] = []
    package var warningCount = 0
    /// The faults that were injected into the trace, as JSON from the header. Empty if there are none.
    package var faults = ""

    /// The drift of the machine's clock relative to the receiver's clock, in parts per million. Positive if the
    /// machine's clock is fast. nil if the trace covers less than 60 s or has no arrival times.
    package var clockDrift: Double? {
        guard let first = clocks.first, let last = clocks.last, header.clock != "",
            case let machine = Double(last.time) - Double(first.time), machine >= 60e9,
            case let receiver = Double(last.receiver.nanoseconds) - Double(first.receiver.nanoseconds), receiver > 0
        else { return nil }
        return (machine - receiver) / receiver * 1e6
    }
}

extension TraceSummary {
    /// The maximum number of separate streams. Events of any further streams are counted in the last one.
    package static let maximumStreams = 1024

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
    /// The receiver's path, or nil for reports other than TPV, SKY and ATT. Empty if the report names no receiver.
    var receiver: String? {
        switch self {
        case .position(let report): report.receiver
        case .sky(let report): report.receiver
        case .attitude(let report): report.receiver
        default: nil
        }
    }

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
