// SPDX-License-Identifier: Apache-2.0

public import DeviceCore
public import Trace

/// Makes one trace of several: a drive whose positions and whose motion were recorded by two programs, for example.
public enum TraceMerger {
    /// How the traces lie to each other.
    public enum Alignment: String, Sendable, CaseIterable {
        /// By the civil time that each of them says it began at.
        case clock
        /// All begin at the same time.
        case start
    }

    /// The most traces.
    public static let maximumCount = 64

    /// Writes all events of the traces in the order of time; of those of one time the first trace's come first.
    ///
    /// The header is that of the first trace, moved to the earliest start, with the devices, sensors, calibrations and
    /// contexts of all. A sensor or an accessory of a name that an earlier trace has gets a number behind it, and so does
    /// each of the first 256 receivers of a trace that reports while an earlier trace has reports of one of its name. The
    /// battery is that of the first trace that has one. Where some traces have phones' errors of 68 per cent and others
    /// gpsd's of 95, all become gpsd's.
    /// With ``Alignment/clock`` every trace has to say when it began.
    /// - Returns: What somebody should know: renamed sensors and receivers, receivers that are too many to be told apart,
    ///   clocks that are not the same, warnings.
    @discardableResult
    public static func write(
        _ traces: [TraceFile], alignment: Alignment = .clock, to sink: any TraceSink
    ) throws(DeviceError) -> [String] {
        guard !traces.isEmpty, traces.count <= maximumCount else {
            throw DeviceError(.invalidConfiguration, "From 1 to \(maximumCount) traces can be merged.")
        }
        let headers = traces.map(TraceReading.header(of:))
        let offsets = try offsets(traces, headers, alignment)
        let surveys = traces.indices.map { MergeSurvey(traces[$0], headers[$0], offset: offsets[$0]) }
        let receivers = MergedReceivers(surveys, files: traces.map(\.name))
        let located = traces.indices.filter { !surveys[$0].receivers.isEmpty }
        let phones = located.filter { headers[$0].hasPhoneAccuracies }
        let isMixed = !phones.isEmpty && phones.count < located.count
        var plan = MergedHeader(
            headers[0], offset: offsets[0], receivers: receivers.names,
            batteryTrace: surveys.firstIndex(where: \.hasBattery), phones: isMixed ? Set(phones) : [])
        for index in headers.indices.dropFirst() {
            plan.add(headers[index], number: index + 1, file: traces[index].name)
        }
        plan.set(hasPhoneAccuracies: !phones.isEmpty && !isMixed)
        var remarks = plan.remarks + receivers.remarks
        if isMixed {
            remarks += phones.map {
                "The errors of positions in \(traces[$0].name), which are of 68 per cent, are of 95 here, as the others' are."
            }
        }
        if alignment == .clock { remarks += clockRemarks(traces, headers) }
        remarks += lossRemarks(traces, surveys)
        try sink.write(plan.header)

        var readings = traces.map { TraceReading($0) }
        var next = readings.indices.map { readings[$0].next() }
        while true {
            let waiting = next.indices.lazy.filter { next[$0] != nil }
            func time(_ index: Int) -> Int64 { (next[index]?.time ?? 0).addingSaturated(offsets[index]) }
            guard let index = waiting.min(by: { time($0) < time($1) }), let event = next[index] else { break }
            if let moved = plan.moved(event, by: offsets[index], trace: index) { try sink.write(moved) }
            next[index] = readings[index].next()
        }
        for index in surveys.indices where surveys[index].hasBattery && index != plan.batteryTrace {
            remarks.append("The battery of \(traces[index].name) was left out: a trace has one.")
        }
        for trace in traces { remarks += ReportDamage(trace).remarks.map { "\(trace.name): \($0)" } }
        for (trace, reading) in zip(traces, readings) {
            remarks += reading.diagnostics.remarks.map { "\(trace.name): \($0)" }
        }
        return remarks
    }

    /// Says where times of different clocks were put beside each other.
    private static func clockRemarks(_ traces: [TraceFile], _ headers: [TraceHeader]) -> [String] {
        guard let machine = headers.firstIndex(where: { !$0.clock.isEmpty }) else { return [] }
        return headers.indices.filter { headers[$0].clock.isEmpty }.map {
            "\(traces[$0].name) goes by a clock of its own and \(traces[machine].name) by that of its machine: they lie beside each other only as exactly as the two agreed."
        }
    }

    /// Says where a loss of one trace's positions is told of another's too.
    private static func lossRemarks(_ traces: [TraceFile], _ surveys: [MergeSurvey]) -> [String] {
        guard surveys.count(where: { !$0.receivers.isEmpty }) > 1 else { return [] }
        return surveys.indices.filter { surveys[$0].lossCount > 0 }.map {
            "Positions are lost \(surveys[$0].lossCount) times in \(traces[$0].name), which counts for all receivers."
        }
    }

    /// By how much each trace is moved, in nanoseconds; at least one of them not at all.
    private static func offsets(
        _ traces: [TraceFile], _ headers: [TraceHeader], _ alignment: Alignment
    ) throws(DeviceError) -> [Int64] {
        guard alignment == .clock, traces.count > 1 else { return traces.map { _ in 0 } }
        var starts: [Int64] = []
        for (trace, header) in zip(traces, headers) {
            guard let start = header.start?.wallTime else {
                throw DeviceError(
                    .invalidTrace,
                    "\(trace.name) does not say when it began, so that it cannot be put beside the others. Align them by their starts."
                )
            }
            starts.append(start.nanoseconds)
        }
        let earliest = starts.min() ?? 0
        return starts.map { $0.subtractingSaturated(earliest) }
    }
}
