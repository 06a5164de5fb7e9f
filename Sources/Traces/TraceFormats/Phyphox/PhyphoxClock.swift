// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Trace

/// What `meta/time.csv` says of an experiment: when it was started and paused, by its own clock and by the phone's.
///
/// The experiment's clock stands while it is paused. Times of the trace go on, so that a pause is a gap.
struct PhyphoxClock {
    /// An experiment is not paused more often than this.
    private static let maximumStretches = 100_000

    /// From a start to the next one.
    private struct Stretch {
        /// Nanoseconds of the experiment's clock at the start.
        var experiment: Int64
        /// Nanoseconds of the trace at the same instant.
        var trace: Int64
    }

    /// Civil time when the experiment was started first; nil when nothing says.
    private(set) var start: WallTime?
    /// How often the phone's clock was set back between a pause and the start behind it.
    private(set) var setBack = 0
    /// What somebody should know about the file.
    private(set) var remarks: [String] = []
    private var stretches: [Stretch] = []

    /// The clock of an experiment of which nothing is known.
    init() {}

    /// Reads the file. Events other than START and PAUSE are passed over, and so are rows without numbers.
    init(_ bytes: UnsafeRawBufferPointer, name: String) throws(DeviceError) {
        var reader = try CSVReader(bytes, name: name)
        reader.allowsDecimalComma = true
        try reader.readHeader()
        guard let event = reader.column("event"), let experiment = reader.column("experiment time"),
            let system = reader.column("system time")
        else {
            throw reader.place(nil).error(
                "the columns event, experiment time and system time are not all there. Export the experiment again, or remove the file to do without civil time."
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
            guard stretches.count < Self.maximumStretches else {
                throw reader.place(nil).error("the experiment was started more than \(Self.maximumStretches) times.")
            }
            guard let last = stretches.last else {
                start = WallTime(nanoseconds: now)
                stretches.append(Stretch(experiment: elapsed, trace: 0))
                continue
            }
            // The end of the stretch before, without which there was no pause.
            let end = pause?.experiment ?? elapsed
            var rest = pause.map { now.subtractingSaturated($0.system) } ?? 0
            if rest < 0 {
                setBack += 1
                rest = 0
            }
            let ran = max(end.subtractingSaturated(last.experiment), 0)
            stretches.append(
                Stretch(experiment: elapsed, trace: last.trace.addingSaturated(ran).addingSaturated(rest)))
            pause = nil
        }
        remarks = reader.remarks
    }

    /// Nanoseconds of the trace from those of the experiment. A time that belongs to a pause is the one when it began.
    func traceTime(_ experiment: Int64) -> Int64 {
        guard stretches.count > 1 else { return experiment.subtractingSaturated(stretches.first?.experiment ?? 0) }
        // The last stretch that began before; the first one for all that is earlier.
        let stretch = stretches[max(stretches.partitioningIndex { $0.experiment >= experiment } - 1, 0)]
        return stretch.trace.addingSaturated(experiment.subtractingSaturated(stretch.experiment))
    }
}
