// SPDX-License-Identifier: Apache-2.0

package import DeviceCore
package import Trace

extension Recording {
    package func traceHeader(source: String = "") -> TraceHeader {
        var header = TraceHeader(start: start.map { TraceHeader.Start(wallTime: $0, boot: .zero) })
        header.clock = ""
        header.source = source
        header.contexts = contexts
        for sensor in sensors { header.add(sensor) }
        if hasPhoneAccuracies { header.hasPhoneAccuracies = true }
        return header
    }

    /// Writes the recording as a trace: a header, then all events in chronological order. Events with the same time are
    /// written in this order: battery readings, reports, motion readings. The sink must not have a header yet. It is
    /// left open.
    package func write(to sink: any TraceSink, source: String = "") throws(DeviceError) {
        try sink.write(traceHeader(source: source))
        let sensors = sensors
        try Self.merge([battery.times, reports.times] + tracks.map(\.times)) {
            (list, index, time) throws(DeviceError) in
            let contents: TraceEvent.Contents
            switch list {
            case 0: contents = .battery(battery.readings[index])
            case 1: contents = .gpsd(reports.line(index))
            default:
                let sensor = sensors[list - 2]
                contents = .sample(tracks[list - 2].values[index], kind: sensor.kind, sensor: sensor.id, stamp: nil)
            }
            try sink.write(TraceEvent(time: time, contents))
        }
    }

    /// Merges sorted lists of times. Calls `body` for each time in chronological order, and in list order for equal
    /// times.
    private static func merge<Failure: Error>(
        _ lists: [[Int64]], _ body: (_ list: Int, _ index: Int, _ time: Int64) throws(Failure) -> Void
    ) throws(Failure) {
        var next = lists.map { _ in 0 }
        var times = lists.map { $0.first ?? .max }
        var rest = lists.reduce(0) { $0 + $1.count }
        while rest > 0 {
            var list = -1
            for other in lists.indices where next[other] < lists[other].count {
                if list < 0 || times[other] < times[list] { list = other }
            }
            guard list >= 0 else { return }
            try body(list, next[list], times[list])
            next[list] += 1
            rest -= 1
            if next[list] < lists[list].count { times[list] = lists[list][next[list]] }
        }
    }

    /// Returns the recording as a trace in memory. Throws an error if it would be larger than `TraceFile.maximumSize`.
    package func trace(named name: String) throws(DeviceError) -> TraceFile {
        if let trace = try inMemoryTrace(named: name) { return trace }
        let builder = TraceBuilder(name: name)
        try write(to: builder, source: name)
        return try builder.file()
    }

    /// Returns a trace that generates its text on demand. Only motion readings are supported. Returns nil if there are
    /// other events, too many readings, or sensors that a trace cannot distinguish.
    private func inMemoryTrace(named name: String) throws(DeviceError) -> TraceFile? {
        let count = count
        guard reports.times.isEmpty, battery.times.isEmpty, count <= InMemoryTrace.maximumCount else { return nil }
        var trace = try InMemoryTrace(traceHeader(source: name), name: name, count: count)
        let sensorIndices = tracks.compactMap { trace.sensorIndex(of: $0.sensor) }
        guard sensorIndices.count == tracks.count else { return nil }
        let kinds = tracks.map(\.sensor.kind)
        let values = tracks.map(\.values)
        Self.merge(tracks.map(\.times)) { list, index, time in
            trace.append(values[list][index], kind: kinds[list], sensorIndex: sensorIndices[list], at: time)
        }
        return trace.file(named: name)
    }

    /// Reads the motion readings of a trace with their measurement times. Throws an error if there are none.
    package init(trace: TraceFile) throws(DeviceError) {
        self.init(start: trace.start, contexts: trace.header?.contexts ?? [])
        var diagnostics = InputDiagnostics()
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
            diagnostics = cursor.diagnostics
        }
        remarks += diagnostics.remarks
        normalize()
        guard !tracks.isEmpty else { throw .invalidTrace("\(trace.name) contains no motion readings.") }
    }
}
