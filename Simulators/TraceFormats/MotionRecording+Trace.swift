// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

public import DeviceCore
public import Trace

extension MotionRecording {
    /// The header of a trace of this recording.
    ///
    /// - Parameter source: where the readings come from, in words.
    public func traceHeader(source: String = "") -> TraceHeader {
        var header = TraceHeader(start: start.map { TraceHeader.Start(wallTime: $0, boot: .zero) })
        header.clock = ""
        header.source = source
        header.contexts = contexts
        for sensor in sensors { header.add(sensor) }
        return header
    }

    /// Writes a trace: a header, and all readings in the order of time. Those of one time stand in the order of the
    /// sensors. The writer stays open; it must not have a header yet.
    public func write(to writer: TraceWriter, source: String = "") throws(DeviceError) {
        try writer.write(traceHeader(source: source))
        var merge = TrackMerge(tracks)
        while let time = merge.nextTime {
            for (index, track) in tracks.enumerated() {
                guard let sample = merge.take(index, at: time) else { continue }
                try writer.write(
                    sample: track.values[sample], kind: track.sensor.kind, sensor: track.sensor.id, at: time)
            }
        }
    }

    /// The same trace in memory, for ``Trace/TraceFile``.
    ///
    /// - Throws: an error of code `notSupported` when it would be larger than `TraceFile.maximumSize`.
    public func traceBytes(source: String = "") throws(DeviceError) -> [UInt8] {
        let limit = TraceFile.maximumSize
        var bytes = traceHeader(source: source).line()
        bytes.append(UInt8(ascii: "\n"))
        let members = tracks.map { TraceSampleText.member($0.sensor.id, kind: $0.sensor.kind) }
        var merge = TrackMerge(tracks)
        while let time = merge.nextTime {
            guard bytes.count < limit else {
                throw DeviceError(
                    .notSupported,
                    "As a trace, \(source.isEmpty ? "the recording" : source) is larger than \(limit) bytes. Convert it to a trace file, or cut it in parts."
                )
            }
            for (index, track) in tracks.enumerated() {
                guard let sample = merge.take(index, at: time) else { continue }
                TraceSampleText.append(
                    track.values[sample], kind: track.sensor.kind, sensor: members[index], time: time, stamp: time,
                    to: &bytes)
            }
        }
        return bytes
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
        if warnings > 0 { remarks.append("\(warnings) lines of the trace could not be read as they should.") }
        settle()
        guard !tracks.isEmpty else {
            throw DeviceError(.invalidTrace, "\(trace.name) holds no motion readings.")
        }
    }
}
