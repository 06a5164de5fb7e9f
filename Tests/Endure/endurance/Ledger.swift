// SPDX-License-Identifier: Apache-2.0

/// Counts numbered readings, each with the number of the server's run that it belongs to.
///
/// A server begins a new run each time it starts, and numbers its readings consecutively. Lost, repeated, late and
/// mistimed readings therefore show exactly in the numbers.
struct Ledger {
    let name: String
    /// Seconds from one reading to the next, by their own timestamps.
    let interval: Double
    /// The number of readings after which the numbers restart.
    let period: Int
    /// A reading whose time deviates by more seconds is mistimed.
    let tolerance: Double

    /// The current run, 0 before the first.
    private(set) var run = 0
    private(set) var first = 0
    private(set) var last = 0
    private(set) var heard = 0
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
    mutating func take(run: Int, number: Int, time: Double) {
        total += 1
        if run > self.run {
            close()
            (self.run, first, last, origin) = (run, number, number, time)
            heard = 1
            tellHeard()
            return
        }
        if isLost { tellHeard() }
        guard run > 0 else { return }
        let step = run < self.run ? 0 : (number - last % period + period) % period
        // A step of more than half the period is a step back.
        guard step > 0, step <= period / 2 else {
            repeated += 1
            return
        }
        heard += 1
        missing += step - 1
        last += step
        let off = time - origin - Double(last - first) * interval
        // A receiver's date may be corrected by whole rollovers if the system clock requires it.
        let rollover = 1024 * 7 * 86_400.0
        if abs(off - (off / rollover).rounded() * rollover) > tolerance { mistimed += 1 }
    }

    /// Records a loss.
    mutating func lose() {
        losses += 1
        isLost = true
        Lines.say("lost", of: name, ["run": run, "losses": losses])
    }

    /// Prints the results of the run since the last call.
    mutating func close() {
        guard run > 0, heard + repeated > 0 else { return }
        Lines.say(
            "run", of: name,
            [
                "run": run, "first": first, "last": last, "heard": heard, "missing": missing, "repeated": repeated,
                "mistimed": mistimed,
            ])
        (heard, missing, repeated, mistimed) = (0, 0, 0, 0)
    }

    private mutating func tellHeard() {
        isLost = false
        Lines.say("heard", of: name, ["run": run])
    }
}
