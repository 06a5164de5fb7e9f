// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import GPSDProtocol
import Trace

/// Reads a trace, one event after the other, each with its place on the device's clock.
///
/// The event that comes next is read ahead, because it decides how far the clock may go. It stays where it was decoded
/// until it is handed on.
struct TraceFeed {
    /// What an event is about.
    enum Content {
        /// A position: `position` holds it.
        case position
        case other(GPSDReport)
        /// A line that says nothing, and is there for those who want each line.
        case line
        case lost(DeviceError)
        case regained
        /// A motion sensor gave readings: ``TraceFeed/takeSamples(id:)`` takes them.
        case samples
        case sensorLost(DeviceError)
        case sensorRegained
        case battery(BatteryReading?)
        case accessory(TraceAccessoryEvent)
    }

    /// The most readings that are handed on together.
    private static let maximumBatch = 1024

    let file: TraceFile
    /// When the event that comes next is due; nil before the first and after the last.
    private(set) var time: BootTime?
    /// What it is about.
    private(set) var content = Content.line
    /// What kind of event it is: quicker to look at than its content.
    private(set) var kind = TraceRecord.Kind.gpsd
    /// The position, when it is one.
    var position = PositionReport()

    private let start: BootTime
    /// Nanoseconds by which the receivers' times are moved.
    private let shift: Int64
    private var cursor: TraceCursor
    private var decoder = GPSDDecoder()
    private var record: TraceRecord?
    /// The record behind a batch, which was read to find the batch's end.
    private var ahead: TraceRecord?
    /// The trace clock, nanoseconds since the start, of traces without stamps of arrival.
    private var elapsed: Int64 = 0
    private var lastTime: WallTime?
    private var isAtEnd = false

    init(file: TraceFile, start: BootTime, shift: Int64) {
        self.file = file
        self.start = start
        self.shift = shift
        cursor = TraceCursor(file)
    }

    /// What the reader had to say about the file so far.
    var warnings: [TraceWarning] { cursor.warnings }

    /// Reads ahead unless that has been done; the time of the event that comes next, nil at the end.
    mutating func peek() -> BootTime? {
        if time == nil, !isAtEnd { read() }
        return time
    }

    /// The event has been handed on.
    mutating func consume() {
        time = nil
    }

    /// True when the event that comes next is a line of gpsd, be it one that says nothing.
    var isLine: Bool { kind == .gpsd || kind == .gpsdText }

    /// The motion sensor that the event that comes next is about.
    var sensor: Int? { record?.sensor }

    /// The line of the event that comes next, as it was sent.
    func line() -> [UInt8] {
        guard let record else { return [] }
        return file.bytes.withUnsafeBytes { record.line(in: $0) }
    }

    /// Takes the readings of one sensor that came in together: those of the event that comes next, and of the events
    /// behind it as long as they are of the same sensor and time, and the sensor's own time does not go back.
    ///
    /// - Parameter id: the sensor's id; nil when nobody wants the readings, which are then only passed over.
    mutating func takeSamples(id: SensorDescription.ID?) -> MotionBatch? {
        guard let first = record?.sample, let time = record?.time else { return nil }
        let start = start.nanoseconds
        let arrival = start.addingSaturated(time)
        var last = start.addingSaturated(first.stamp ?? time)
        var batch = id.map {
            MotionBatch(
                sensor: $0, kind: first.kind, values: [first.value], times: [BootTime(nanoseconds: last)],
                arrival: BootTime(nanoseconds: arrival))
        }
        file.bytes.withUnsafeBytes { bytes in
            var count = 1
            while let next = cursor.next(bytes) {
                guard count < Self.maximumBatch, next.sensor == first.sensor, next.time == time,
                    let sample = next.sample, start.addingSaturated(sample.stamp ?? time) >= last
                else {
                    ahead = next
                    return
                }
                last = start.addingSaturated(sample.stamp ?? time)
                batch?.values.append(sample.value)
                batch?.times.append(BootTime(nanoseconds: last))
                count += 1
            }
        }
        return batch
    }

    private mutating func read() {
        file.bytes.withUnsafeBytes { bytes in
            if ahead == nil {
                record = cursor.next(bytes)
            } else {
                record = ahead
                ahead = nil
            }
            guard let record else {
                isAtEnd = true
                return
            }
            kind = record.kind
            switch record.kind {
            case .gpsd:
                let line = UnsafeRawBufferPointer(rebasing: bytes[record.range])
                if let report = decoder.decode(line, position: &position) {
                    content = .other(shift == 0 ? report : report.moved(by: shift))
                } else {
                    content = .position
                    if record.time == nil { follow() }
                    if shift != 0 { position.time = position.time?.moved(by: shift) }
                }
            case .gpsdText: content = .line
            case .lost:
                content = .lost(record.loss(in: bytes) ?? DeviceError(.connectionLost, "The position source was lost."))
            case .regained: content = .regained
            case .sample: content = .samples
            case .sensorLost:
                content = .sensorLost(record.loss(in: bytes) ?? DeviceError(.connectionLost, "The sensor was lost."))
            case .sensorRegained: content = .sensorRegained
            case .battery: content = .battery(record.battery(in: bytes))
            // The cursor hands over none that cannot be read.
            case .accessory: content = record.accessoryEvent(in: bytes).map { .accessory($0) } ?? .line
            }
            time = BootTime(nanoseconds: start.nanoseconds.addingSaturated(record.time ?? elapsed))
        }
    }

    /// Moves the trace clock with the report's own time where that rises by up to a minute; else it holds.
    private mutating func follow() {
        guard let time = position.time else { return }
        if let lastTime {
            let rise = time.nanoseconds.subtractingSaturated(lastTime.nanoseconds)
            if rise > 0, rise <= 60_000_000_000 { elapsed = elapsed.addingSaturated(rise) }
        }
        lastTime = time
    }

    /// The first time that a report of the trace carries; nil when none does.
    static func firstTime(of file: TraceFile) -> WallTime? {
        var cursor = TraceCursor(file)
        var decoder = GPSDDecoder()
        var report = PositionReport()
        return file.bytes.withUnsafeBytes { bytes in
            while let record = cursor.next(bytes) {
                guard case .gpsd = record.kind else { continue }
                let line = UnsafeRawBufferPointer(rebasing: bytes[record.range])
                if decoder.decode(line, position: &report) == nil, let time = report.time { return time }
            }
            return nil
        }
    }
}

extension GPSDReport {
    /// The same report with the receiver's time moved.
    fileprivate func moved(by nanoseconds: Int64) -> GPSDReport {
        switch self {
        case .sky(var sky):
            sky.time = sky.time?.moved(by: nanoseconds)
            return .sky(sky)
        case .attitude(var attitude):
            attitude.time = attitude.time?.moved(by: nanoseconds)
            return .attitude(attitude)
        case .position, .version, .devices, .device, .watch, .error, .other, .malformed: return self
        }
    }
}

extension WallTime {
    fileprivate func moved(by nanoseconds: Int64) -> WallTime {
        WallTime(nanoseconds: self.nanoseconds.addingSaturated(nanoseconds))
    }
}
