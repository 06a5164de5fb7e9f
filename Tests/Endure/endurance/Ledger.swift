// SPDX-License-Identifier: Apache-2.0

/// Counts readings that carry a number, and the number of the server's life that they are of.
///
/// A server begins a new run each time it starts, and numbers its readings one by one. So what is lost, told twice, told
/// too late or told with another time than its own shows in the numbers, exactly.
struct Ledger {
    let name: String
    /// Seconds from one reading to the next, by their own times.
    let interval: Double
    /// Numbers begin anew after so many.
    let period: Int
    /// What is off by more seconds has not its own time.
    let tolerance: Double

    /// The run that goes on; 0 before the first.
    private(set) var run = 0
    private(set) var first = 0
    private(set) var last = 0
    private(set) var heard = 0
    private(set) var missing = 0
    /// Readings that were told before, or of a former run: late ones that are told as new.
    private(set) var repeated = 0
    private(set) var mistimed = 0
    /// The time of the first reading.
    private var origin = 0.0

    /// Losses that were told, and whether a reading is due that ends the last one.
    private(set) var losses = 0
    private(set) var isLost = false
    /// Readings in all, whether they have numbers or not.
    private(set) var total = 0

    init(_ name: String, interval: Double, period: Int = 1 << 40, tolerance: Double) {
        (self.name, self.interval, self.period, self.tolerance) = (name, interval, period, tolerance)
    }

    /// Takes a reading, and says what it ends and begins. One of run 0 has no number.
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
        // More than half of them ahead is behind.
        guard step > 0, step <= period / 2 else {
            repeated += 1
            return
        }
        heard += 1
        missing += step - 1
        last += step
        let off = time - origin - Double(last - first) * interval
        // A receiver's date may be mended by whole rollovers, when the system's clock says so.
        let rollover = 1024 * 7 * 86_400.0
        if abs(off - (off / rollover).rounded() * rollover) > tolerance { mistimed += 1 }
    }

    /// A loss was told.
    mutating func lose() {
        losses += 1
        isLost = true
        Lines.say("lost", of: name, ["run": run, "losses": losses])
    }

    /// Says what the run has given since it was said last.
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
