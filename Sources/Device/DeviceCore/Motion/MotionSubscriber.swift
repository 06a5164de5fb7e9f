// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// One subscriber of a motion hub.
final class MotionSubscriber: Sendable {
    let request: MotionRequest
    /// True when it takes the sensor's rate to say which readings it gets.
    let needsRate: Bool
    private let receive: @Sendable (MotionEvent) -> Void
    private let quiet: @Sendable () -> Void
    private let isActive = Atomic<Bool>(true)
    /// True when it has been told of a loss and of nothing since.
    private let knowsLoss = Atomic<Bool>(false)
    private let thinner: Mutex<SampleThinner>

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

    /// Hands over the event unless the subscriber has left, which it or another one may do in a callback. A loss is told
    /// once, whatever sensor the subscriber is moved to meanwhile, and its end only to those who know of it.
    func tell(_ event: MotionEvent) {
        switch event {
        case .lost:
            if knowsLoss.exchange(true, ordering: .acquiringAndReleasing) { return }
        case .regained:
            if !knowsLoss.exchange(false, ordering: .acquiringAndReleasing) { return }
        case .samples: break
        }
        if isActive.load(ordering: .acquiring) { receive(event) }
    }

    /// Hands over those readings that were asked for.
    func tell(_ batch: MotionBatch, sensorInterval: Double?) {
        guard isActive.load(ordering: .acquiring) else { return }
        // The sensor that was lost may have gone from the hub and come back as a new one.
        if knowsLoss.load(ordering: .relaxed) { tell(.regained) }
        if !needsRate {
            receive(.samples(batch))
        } else if let sensorInterval, request.interval <= sensorInterval * 1.02 {
            receive(.samples(batch))
        } else if let thinned = thinner.withLock({ $0.thin(batch) }) {
            receive(.samples(thinned))
        }
    }

    /// Says that nothing follows for now.
    func tellQuiet() { if isActive.load(ordering: .acquiring) { quiet() } }

    /// Nothing is handed over from now on.
    func leave() { isActive.store(false, ordering: .releasing) }
}
