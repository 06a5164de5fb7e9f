// SPDX-License-Identifier: Apache-2.0

/// Counts the numbered readings of a stream. Each reading contains the number of the server's run.
///
/// Each start of a server begins a new run, whose readings are numbered consecutively. The numbers therefore show
/// exactly which readings were lost, repeated, late or mistimed.
struct ReadingCounter {
    let name: String
    /// The time between the timestamps of consecutive readings, in seconds.
    let interval: Double
    /// The number of readings after which the numbers restart.
    let period: Int
    /// The largest deviation of a timestamp, in seconds. A reading with a larger one is mistimed.
    let tolerance: Double

    /// The current run, 0 before the first.
    private(set) var run = 0
    private(set) var first = 0
    private(set) var last = 0
    private(set) var received = 0
    private(set) var missing = 0
    /// Repeated readings, and readings of an earlier run.
    private(set) var repeated = 0
    private(set) var mistimed = 0
    /// The time of the first reading.
    private var origin = 0.0

    /// The number of reported losses, and whether a reading that ends the last one is due.
    private(set) var losses = 0
    private(set) var isLost = false
    /// The total number of readings, with and without numbers.
    private(set) var total = 0

    init(_ name: String, interval: Double, period: Int = 1 << 40, tolerance: Double) {
        (self.name, self.interval, self.period, self.tolerance) = (name, interval, period, tolerance)
    }

    /// Processes a reading and prints the end and the beginning of runs. A reading of run 0 has no number.
    mutating func record(run: Int, number: Int, time: Double) {
        total += 1
        if run > self.run {
            close()
            (self.run, first, last, origin) = (run, number, number, time)
            received = 1
            reportReturn()
            return
        }
        if isLost { reportReturn() }
        guard run > 0 else { return }
        let step = run < self.run ? 0 : (number - last % period + period) % period
        // A step of more than half the period is a step back.
        guard step > 0, step <= period / 2 else {
            repeated += 1
            return
        }
        received += 1
        missing += step - 1
        last += step
        let deviation = time - origin - Double(last - first) * interval
        // A receiver's date may be corrected by whole rollovers if the system clock requires it.
        let rollover = 1024 * 7 * 86_400.0
        if abs(deviation - (deviation / rollover).rounded() * rollover) > tolerance { mistimed += 1 }
    }

    /// Records and prints a loss.
    mutating func recordLoss() {
        losses += 1
        isLost = true
        Lines.write("lost", of: name, ["run": run, "losses": losses])
    }

    /// Prints the results of the run since the last call.
    mutating func close() {
        guard run > 0, received + repeated > 0 else { return }
        Lines.write(
            "run", of: name,
            [
                "run": run, "first": first, "last": last, "received": received, "missing": missing,
                "repeated": repeated, "mistimed": mistimed,
            ])
        (received, missing, repeated, mistimed) = (0, 0, 0, 0)
    }

    private mutating func reportReturn() {
        isLost = false
        Lines.write("returned", of: name, ["run": run])
    }
}
