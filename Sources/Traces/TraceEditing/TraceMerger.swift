// SPDX-License-Identifier: Apache-2.0

public import DeviceCore
public import Trace

/// Merges several traces into one, for example if two programs recorded the positions and the motion of the same drive.
public enum TraceMerger {
    /// The method for aligning the traces in time.
    public enum Alignment: String, Sendable, CaseIterable {
        /// Aligns the traces by the civil times at which they start.
        case clock
        /// Aligns the starts of all traces.
        case start
    }

    package static let maximumCount = 64

    /// Writes the events of all traces in chronological order. Events with the same time are written in the order of
    /// the traces.
    ///
    /// The header is based on the first trace's header and lists the devices, sensors, calibrations and contexts of all
    /// traces. With ``Alignment/clock``, its start time is the earliest of all traces.
    ///
    /// A number is appended to the following names:
    ///
    /// - the ID of a sensor, if an earlier trace contains the same ID,
    /// - the ID of an accessory in the second or a later trace,
    /// - the ID of an accessory in the first trace, if the ID contains a hyphen, for example from an earlier merge,
    /// - the name of a receiver, if an earlier trace contains reports from a receiver with the same name during the
    ///   same period. At most 256 receivers of each trace are renamed.
    ///
    /// The battery is taken from the first trace that has one. If some traces contain a phone's 68 % accuracies and
    /// others gpsd's 95 % accuracies, all accuracies are converted to 95 %. With ``Alignment/clock``, every trace must
    /// contain its start time.
    ///
    /// - Returns: Remarks for the user, for example about renamed sensors and receivers or different clocks, and any
    ///   warnings.
    @discardableResult public static func write(
        _ traces: [TraceFile], alignment: Alignment = .clock, to sink: any TraceSink
    ) throws(DeviceError) -> [String] {
        guard !traces.isEmpty, traces.count <= maximumCount else {
            throw DeviceError(.invalidConfiguration, "Only 1 to \(maximumCount) traces can be merged.")
        }
        let headers = traces.map(TimedEventReader.header(of:))
        let offsets = try offsets(traces, headers, alignment)
        let summaries = traces.indices.map { MergeInputSummary(traces[$0], headers[$0], offset: offsets[$0]) }
        let receivers = MergedReceivers(summaries, files: traces.map(\.name))
        let tracesWithPositions = traces.indices.filter { !summaries[$0].receivers.isEmpty }
        let phones = tracesWithPositions.filter { headers[$0].hasPhoneAccuracies }
        let isMixed = !phones.isEmpty && phones.count < tracesWithPositions.count
        var mergedHeader = MergedHeader(
            headers[0], offset: offsets[0], receivers: receivers.names,
            batteryTrace: summaries.firstIndex(where: \.hasBattery), phones: isMixed ? Set(phones) : [])
        for index in headers.indices.dropFirst() {
            mergedHeader.add(headers[index], number: index + 1, file: traces[index].name)
        }
        mergedHeader.set(hasPhoneAccuracies: !phones.isEmpty && !isMixed)
        var remarks = mergedHeader.remarks + receivers.remarks
        if isMixed {
            remarks += phones.map {
                "The position errors in \(traces[$0].name) were converted from 68 % to 95 % confidence, like those of the other traces."
            }
        }
        if alignment == .clock { remarks += clockRemarks(traces, headers) }
        remarks += lossRemarks(traces, summaries)
        try sink.write(mergedHeader.header)

        var readings = traces.map { TimedEventReader($0) }
        var next = readings.indices.map { readings[$0].next() }
        while true {
            let waiting = next.indices.lazy.filter { next[$0] != nil }
            func time(_ index: Int) -> Int64 { (next[index]?.time ?? 0).addingSaturated(offsets[index]) }
            guard let index = waiting.min(by: { time($0) < time($1) }), let event = next[index] else { break }
            if let moved = mergedHeader.merged(event, offset: offsets[index], trace: index) { try sink.write(moved) }
            next[index] = readings[index].next()
        }
        for index in summaries.indices where summaries[index].hasBattery && index != mergedHeader.batteryTrace {
            remarks.append("The battery of \(traces[index].name) was omitted, because a trace contains only one.")
        }
        for trace in traces { remarks += ReportDiagnostics(trace).remarks.map { "\(trace.name): \($0)" } }
        for (trace, reading) in zip(traces, readings) {
            remarks += reading.diagnostics.remarks.map { "\(trace.name): \($0)" }
        }
        return remarks
    }

    /// Returns remarks about traces whose times come from different clocks.
    private static func clockRemarks(_ traces: [TraceFile], _ headers: [TraceHeader]) -> [String] {
        guard let machine = headers.firstIndex(where: { !$0.clock.isEmpty }) else { return [] }
        return headers.indices.filter { headers[$0].clock.isEmpty }.map {
            "\(traces[$0].name) uses a clock of its own, and \(traces[machine].name) that of its machine: they are aligned only as accurately as these clocks agreed."
        }
    }

    /// Returns a remark for each trace that contains losses of the position source. In the merged trace, these losses
    /// also affect the receivers of the other traces.
    private static func lossRemarks(_ traces: [TraceFile], _ summaries: [MergeInputSummary]) -> [String] {
        guard summaries.count(where: { !$0.receivers.isEmpty }) > 1 else { return [] }
        return summaries.indices.filter { summaries[$0].lossCount > 0 }.map {
            "The position source is lost \(summaries[$0].lossCount) times in \(traces[$0].name), which applies to all receivers."
        }
    }

    /// Returns the offset, in nanoseconds, to add to the times of each trace. At least one offset is 0.
    private static func offsets(
        _ traces: [TraceFile], _ headers: [TraceHeader], _ alignment: Alignment
    ) throws(DeviceError) -> [Int64] {
        guard alignment == .clock, traces.count > 1 else { return traces.map { _ in 0 } }
        var starts: [Int64] = []
        for (trace, header) in zip(traces, headers) {
            guard let start = header.start?.wallTime else {
                throw DeviceError(
                    .invalidTrace,
                    "\(trace.name) does not contain its start time, so it cannot be aligned with the others by time. Align the traces by their starts."
                )
            }
            starts.append(start.nanoseconds)
        }
        let earliest = starts.min() ?? 0
        return starts.map { $0.subtractingSaturated(earliest) }
    }
}
