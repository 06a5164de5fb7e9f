// SPDX-License-Identifier: Apache-2.0

public import DeviceCore
public import Trace

extension Recording {
    /// The header of a trace of this recording.
    ///
    /// - Parameter source: where the readings come from, in words.
    public func traceHeader(source: String = "") -> TraceHeader {
        var header = TraceHeader(start: start.map { TraceHeader.Start(wallTime: $0, boot: .zero) })
        header.clock = ""
        header.source = source
        header.contexts = contexts
        for sensor in sensors { header.add(sensor) }
        if hasPhoneAccuracies { header.hasPhoneAccuracies = true }
        return header
    }

    /// Writes a trace: a header, and all events in the order of time. Of those of one time the battery comes first, then
    /// positions, then the readings in the order of the sensors. There must not be a header yet; the writer stays open.
    public func write(to sink: any TraceSink, source: String = "") throws(DeviceError) {
        try sink.write(traceHeader(source: source))
        let lists = [battery.times, reports.times] + tracks.map(\.times)
        let sensors = sensors
        var next = lists.map { _ in 0 }
        while let list = Self.earliest(lists, next) {
            let place = next[list]
            let contents: TraceEvent.Contents
            switch list {
            case 0: contents = .battery(battery.readings[place])
            case 1: contents = .gpsd(reports.line(place))
            default:
                let sensor = sensors[list - 2]
                contents = .sample(tracks[list - 2].values[place], kind: sensor.kind, sensor: sensor.id, stamp: nil)
            }
            try sink.write(TraceEvent(time: lists[list][place], contents))
            next[list] += 1
        }
    }

    /// The list whose next time is the first, and of those with one time the first list; nil at the end.
    private static func earliest(_ lists: [[Int64]], _ next: [Int]) -> Int? {
        var found: Int?
        var least = Int64.max
        for list in lists.indices where next[list] < lists[list].count {
            let time = lists[list][next[list]]
            guard found == nil || time < least else { continue }
            (found, least) = (list, time)
        }
        return found
    }

    /// The same trace in memory.
    ///
    /// - Throws: an error of code `notSupported` when it would be larger than `TraceFile.maximumSize`.
    public func trace(named name: String) throws(DeviceError) -> TraceFile {
        let builder = TraceBuilder(name: name)
        try write(to: builder, source: name)
        return try builder.file()
    }

    /// The motion readings of a trace, at the times at which they were measured. Positions and other events are passed
    /// over; remarks count what could not be read.
    ///
    /// - Throws: an error of code `invalidTrace` when there are no motion readings in it.
    public init(trace: TraceFile) throws(DeviceError) {
        self.init(start: trace.start, contexts: trace.header?.contexts ?? [])
        var warnings = 0
        trace.bytes.withUnsafeBytes { bytes in
            var cursor = TraceCursor(trace)
            while let record = cursor.next(bytes) {
                guard let sample = record.sample, let time = sample.stamp ?? record.time else { continue }
                while tracks.count <= sample.sensor, tracks.count < cursor.sensors.count {
                    tracks.append(MotionTrack(cursor.sensors[tracks.count]))
                }
                guard tracks.indices.contains(sample.sensor) else { continue }
                tracks[sample.sensor].append(sample.value, at: time)
            }
            warnings = cursor.warningCount
        }
        remarks.tell(warnings, "lines of the trace could not be read as they should.")
        settle()
        guard !tracks.isEmpty else { throw DeviceError(.invalidTrace, "\(trace.name) holds no motion readings.") }
    }
}
