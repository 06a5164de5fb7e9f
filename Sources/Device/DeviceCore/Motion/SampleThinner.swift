// SPDX-License-Identifier: Apache-2.0

/// Takes from the readings of a sensor as many as a subscriber asked for, by their time stamps.
///
/// Each reading that is taken sets the time at which the next one is due. A reading that comes up to half a sensor
/// interval early is taken, so that on average the wanted interval is kept and no reading of an equally fast sensor is
/// lost to jitter.
package struct SampleThinner: Sendable {
    /// Seconds between the readings that are wanted.
    package let interval: Double
    private var due: BootTime?
    private var last: BootTime?

    /// Takes one reading in that many seconds.
    package init(interval: Double) { self.interval = interval }

    /// True when the reading of that time is one to take.
    package mutating func takes(_ time: BootTime) -> Bool {
        defer { last = time }
        guard let due, let last, time > last else {
            // The first, or one after a clock that was set back.
            self.due = time.advanced(bySeconds: interval)
            return true
        }
        let step = time.seconds(since: last)
        let lateness = time.seconds(since: due)
        guard lateness >= -min(step, interval) / 2 else { return false }
        // Keep the beat unless it has been missed altogether.
        let beat = due.advanced(bySeconds: interval)
        self.due = lateness > interval ? time.advanced(bySeconds: interval) : beat
        return true
    }

    /// The readings of a batch that are wanted; nil when none is.
    mutating func thin(_ batch: MotionBatch) -> MotionBatch? {
        var taken = MotionBatch(sensor: batch.sensor, kind: batch.kind, arrival: batch.arrival)
        for index in 0..<batch.count where takes(batch.times[index]) {
            taken.values.append(batch.values[index])
            taken.times.append(batch.times[index])
        }
        return taken.values.isEmpty ? nil : taken
    }
}
