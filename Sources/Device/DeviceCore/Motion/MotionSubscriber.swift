// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A subscriber of a `MotionHub`. The hub calls `deliver` on the thread that posts the readings, while another thread
/// may call `notify`. A subscriber that moves to another sensor may receive readings on two threads at once.
final class MotionSubscriber: Sendable {
    let request: MotionRequest
    /// True if the sensor's rate is needed to select the readings to deliver.
    let needsRate: Bool
    let state = SubscriberState()
    private let receive: @Sendable (MotionEvent) -> Void
    private let onInputIdle: @Sendable () -> Void
    private let decimator: Mutex<Decimator>

    init(
        _ request: MotionRequest, receive: @escaping @Sendable (MotionEvent) -> Void,
        onInputIdle: @escaping @Sendable () -> Void
    ) {
        self.request = request
        needsRate = !request.includesAllReadings && request.decimates && request.interval != 0
        self.receive = receive
        self.onInputIdle = onInputIdle
        decimator = Mutex(Decimator(interval: request.interval))
    }

    /// Delivers the requested readings if the subscriber is active and may be called on this thread. A subscriber that
    /// joins while another executor is reading misses those readings. See `DeferredCallbacks.permits(_:)`.
    ///
    /// - Parameter sensorInterval: The time between sensor readings, in seconds, or nil if unknown or not needed.
    func deliver(_ batch: MotionBatch, sensorInterval: Double?) {
        guard state.isReceiving, DeferredCallbacks.permits(request.executor) else { return }
        if !needsRate {
            receive(.samples(batch))
        } else if let sensorInterval, request.interval <= sensorInterval * 1.02 {
            // The tolerance of 2 % prevents the loss of individual readings if the sensor runs slightly faster than
            // requested.
            receive(.samples(batch))
        } else if let decimated = decimator.withLock({ $0.decimate(batch) }) {
            receive(.samples(decimated))
        }
    }

    /// Delivers a status change, even to a subscriber that is still joining or may not receive readings on this thread.
    func notify(_ event: MotionEvent) { receive(event) }
    func reportInputIdle() { if state.isReceiving { onInputIdle() } }
}

/// Decimates sensor readings to an interval, based on their timestamps. Each selected reading determines when the next
/// one is due. Because timestamps jitter, a reading is also selected if it is at most half a sensor interval early.
package struct Decimator: Sendable {
    /// The requested time between readings, in seconds. 0 selects every reading.
    package let interval: Double
    private var due: BootTime?
    private var last: BootTime?

    package init(interval: Double) { self.interval = interval }

    package mutating func selects(_ time: BootTime) -> Bool {
        defer { last = time }
        guard let due, let last, time >= last else {
            // The first reading, or the first reading after the timestamps jumped back.
            self.due = time.advanced(bySeconds: interval)
            return true
        }
        let step = time.seconds(since: last)
        let lateness = time.seconds(since: due)
        guard lateness >= -min(step, interval) / 2 else { return false }
        // Normally, the next reading is due one interval after the due time of this reading. If this reading is more
        // than one interval late, the next one is due one interval after this reading's timestamp.
        self.due = (lateness > interval ? time : due).advanced(bySeconds: interval)
        return true
    }

    mutating func decimate(_ batch: MotionBatch) -> MotionBatch? {
        var selected = MotionBatch(sensor: batch.sensor, kind: batch.kind, arrival: batch.arrival)
        for index in 0..<batch.count where selects(batch.times[index]) {
            selected.values.append(batch.values[index])
            selected.times.append(batch.times[index])
        }
        return selected.values.isEmpty ? nil : selected
    }
}

/// Measures a sensor's rate from timestamps, in successive windows of at least 1 s. A gap of more than 1 s restarts the
/// measurement.
struct RateMeter {
    /// The minimum length of a window and the longest gap allowed within a window, both in nanoseconds.
    private static let window: Int64 = 1_000_000_000
    private static let maximumGap: Int64 = 1_000_000_000

    private var start: BootTime?
    private var last = BootTime.zero
    private var count = 0
    private var previousRate: Double?

    /// The rate, in hertz, or nil if unknown. It is averaged over at least 0.5 s, or 0.1 s in the first window.
    var rate: Double? {
        guard let start, count > 0 else { return previousRate }
        let seconds = last.seconds(since: start)
        if seconds < 0.1 { return previousRate }
        let current = Double(count) / seconds
        // Until a new window is half full, the rate measured in the previous window is more accurate.
        guard let previousRate, last.nanoseconds.subtractingSaturated(start.nanoseconds) < Self.window / 2 else {
            return current
        }
        return previousRate
    }

    mutating func record(_ times: [BootTime], decimationFactor: Int = 1) {
        guard let first = times.first, let newest = times.last else { return }
        guard let start, newest > last, first.nanoseconds.subtractingSaturated(last.nanoseconds) <= Self.maximumGap
        else {
            self.start = first
            last = newest
            count = (times.count - 1) * decimationFactor
            previousRate = nil
            return
        }
        count += times.count * decimationFactor
        last = newest
        guard newest.nanoseconds.subtractingSaturated(start.nanoseconds) >= Self.window else { return }
        previousRate = Double(count) / newest.seconds(since: start)
        self.start = newest
        count = 0
    }
}
