// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import GPSDProtocol
import Geodesy
package import Trace

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

    fileprivate var time: WallTime? {
        if case .position(let report) = self { report.time } else { nil }
    }
}
