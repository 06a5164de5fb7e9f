// SPDX-License-Identifier: Apache-2.0

/// Decimates the readings of a sensor to an interval, by their time stamps.
///
/// Each selected reading sets the due time of the next one. A reading up to half a sensor interval early is also
/// selected, so that the average interval is met and jitter does not remove readings of an equally fast sensor.
package struct Decimator: Sendable {
    /// The requested time between readings, in seconds.
    package let interval: Double
    private var due: BootTime?
    private var last: BootTime?

    /// Creates a decimator that selects one reading per interval, in seconds.
    package init(interval: Double) { self.interval = interval }

    /// Returns true if the reading with this time stamp is selected.
    package mutating func selects(_ time: BootTime) -> Bool {
        defer { last = time }
        guard let due, let last, time > last else {
            // The first reading, or the first one after the clock was set back.
            self.due = time.advanced(bySeconds: interval)
            return true
        }
        let step = time.seconds(since: last)
        let lateness = time.seconds(since: due)
        guard lateness >= -min(step, interval) / 2 else { return false }
        // Keep the phase unless a whole interval was missed.
        let nextDue = due.advanced(bySeconds: interval)
        self.due = lateness > interval ? time.advanced(bySeconds: interval) : nextDue
        return true
    }

    /// Returns the selected readings of a batch, or nil if there are none.
    mutating func decimate(_ batch: MotionBatch) -> MotionBatch? {
        var taken = MotionBatch(sensor: batch.sensor, kind: batch.kind, arrival: batch.arrival)
        for index in 0..<batch.count where selects(batch.times[index]) {
            taken.values.append(batch.values[index])
            taken.times.append(batch.times[index])
        }
        return taken.values.isEmpty ? nil : taken
    }
}
