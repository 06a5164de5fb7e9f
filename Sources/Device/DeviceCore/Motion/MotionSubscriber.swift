// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// One subscriber of a motion hub.
final class MotionSubscriber: Sendable {
    let request: MotionRequest
    /// True when it takes the sensor's rate to say which readings it gets.
    let needsRate: Bool
    private let receive: @Sendable (MotionEvent) -> Void
    private let quiet: @Sendable () -> Void
    private let marks = Atomic<Int>(0)
    private let thinner: Mutex<SampleThinner>

    /// Bits of the marks.
    private enum Mark {
        static let left = 1
        /// It has been told of a loss and of nothing since.
        static let knowsLoss = 2
        /// It has had a reading.
        static let isFed = 4
    }

    init(
        _ request: MotionRequest, receive: @escaping @Sendable (MotionEvent) -> Void,
        quiet: @escaping @Sendable () -> Void
    ) {
        self.request = request
        needsRate = !request.everyReading && request.thins && request.interval != 0
        self.receive = receive
        self.quiet = quiet
        thinner = Mutex(SampleThinner(interval: request.interval))
    }

    /// True once it has had a reading.
    var hasReadings: Bool { marks.load(ordering: .relaxed) & Mark.isFed != 0 }

    /// Hands over the event unless the subscriber has left, which it or another one may do in a callback. A loss is told
    /// once, whatever sensor the subscriber is moved to meanwhile, and its end only to those who know of it.
    func tell(_ event: MotionEvent) {
        switch event {
        case .lost:
            let former = marks.bitwiseOr(Mark.knowsLoss, ordering: .acquiringAndReleasing).oldValue
            if former & Mark.knowsLoss != 0 { return }
        case .regained:
            let former = marks.bitwiseAnd(~Mark.knowsLoss, ordering: .acquiringAndReleasing).oldValue
            if former & Mark.knowsLoss == 0 { return }
        case .samples: break
        }
        if marks.load(ordering: .acquiring) & Mark.left == 0 { receive(event) }
    }

    /// Hands over those readings that were asked for.
    func tell(_ batch: MotionBatch, sensorInterval: Double?) {
        let marks = marks.load(ordering: .acquiring)
        guard marks & Mark.left == 0 else { return }
        // The sensor that was lost may have gone from the hub and come back as a new one.
        if marks & Mark.knowsLoss != 0 { tell(.regained) }
        if marks & Mark.isFed == 0 { self.marks.bitwiseOr(Mark.isFed, ordering: .relaxed) }
        if !needsRate {
            receive(.samples(batch))
        } else if let sensorInterval, request.interval <= sensorInterval * 1.02 {
            receive(.samples(batch))
        } else if let thinned = thinner.withLock({ $0.thin(batch) }) {
            receive(.samples(thinned))
        }
    }

    /// Says that nothing follows for now.
    func tellQuiet() { if marks.load(ordering: .acquiring) & Mark.left == 0 { quiet() } }

    /// Nothing is handed over from now on.
    func leave() { marks.bitwiseOr(Mark.left, ordering: .releasing) }
}
