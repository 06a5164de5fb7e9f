// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Trace

/// Converts experiment times to trace times. `meta/time.csv` lists the times at which the experiment was started and
/// paused, according to both the experiment's clock and the phone's clock. During a pause, the experiment's clock
/// stops, but the trace time advances.
struct PhyphoxClock {
    private static let maximumStarts = 100_000

    private struct RunInterval {
        /// The time on the experiment's clock at the start of the interval, in nanoseconds.
        var experiment: Int64
        /// The trace time at the start of the interval, in nanoseconds.
        var trace: Int64
    }

    private(set) var start: WallTime?
    private(set) var setBackCount = 0
    private(set) var remarks: [String] = []
    private var intervals: [RunInterval] = []

    init() {}

    /// Reads `meta/time.csv`. Ignores events other than START and PAUSE, and rows without numbers.
    init(_ bytes: UnsafeRawBufferPointer, name: String) throws(DeviceError) {
        var reader = try CSVReader(bytes, name: name)
        reader.allowsDecimalComma = true
        try reader.readHeader()
        guard let event = reader.column("event"), let experiment = reader.column("experiment time"),
            let system = reader.column("system time")
        else {
            throw reader.error(
                "the column event, experiment time or system time is missing. Export the experiment again, or remove the file to read the tables without civil time."
            )
        }
        var pause: (experiment: Int64, system: Int64)?
        while try reader.next() {
            let word = reader.text(event)
            guard word == "START" || word == "PAUSE",
                let elapsed = try reader.decimal(experiment)?.scaled(byPowerOfTen: 9),
                let now = try reader.decimal(system)?.scaled(byPowerOfTen: 9)
            else { continue }
            if word == "PAUSE" {
                pause = (elapsed, now)
                continue
            }
            guard intervals.count < Self.maximumStarts else {
                throw reader.error("the experiment was started more than \(Self.maximumStarts) times.")
            }
            guard let last = intervals.last else {
                start = WallTime(nanoseconds: now)
                intervals.append(RunInterval(experiment: elapsed, trace: 0))
                continue
            }
            // The end of the previous interval: the PAUSE event or, if there is none, the start of the next interval.
            let end = pause?.experiment ?? elapsed
            var rest = pause.map { now.subtractingSaturated($0.system) } ?? 0
            if rest < 0 {
                setBackCount += 1
                rest = 0
            }
            let ran = max(end.subtractingSaturated(last.experiment), 0)
            intervals.append(
                RunInterval(experiment: elapsed, trace: last.trace.addingSaturated(ran).addingSaturated(rest)))
            pause = nil
        }
        remarks = reader.remarks
    }

    /// Converts an experiment time to a trace time, both in nanoseconds.
    func traceTime(_ experiment: Int64) -> Int64 {
        guard intervals.count > 1 else { return experiment.subtractingSaturated(intervals.first?.experiment ?? 0) }
        // The last interval that began before the given time, or the first interval if none did.
        let interval = intervals[max(intervals.partitioningIndex { $0.experiment >= experiment } - 1, 0)]
        return interval.trace.addingSaturated(experiment.subtractingSaturated(interval.experiment))
    }
}
