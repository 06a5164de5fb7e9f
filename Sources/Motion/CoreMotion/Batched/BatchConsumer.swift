// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation

/// Everything behind one loop over batches.
final class BatchConsumer<Shaper: ReadingShaper>: Sendable {
    private struct State: ConsumedState {
        var mailbox = Mailbox<Shaper.Value>(limit: Batches.limit)
        var shaper: Shaper

        mutating func takeFirst() -> Mailbox<Shaper.Value>.Item? { mailbox.outbox.takeFirst() }
    }

    private let source: StreamSource<Shaper.Input>
    private let interval: TimeInterval
    private let loop: ConsumerLoop<State>
    private let subscription = StandingSubscription<TimeInterval>()

    init(device: Device, plan: StreamPlan<Shaper>, interval: TimeInterval) {
        source = plan.source
        self.interval = interval
        loop = ConsumerLoop(State(shaper: plan.makeShaper()), gate: device.playback?.consumers)
    }

    /// True when the device has what it takes now.
    var isAvailable: Bool { source.isAvailable() }

    /// A batch, or why there is none, which ends the loop; nil at the end.
    func next() async -> Mailbox<Shaper.Value>.Item? {
        if loop.start({ $0.mailbox.empty(isOpen: true) }) { adjustSubscription() }
        return await loop.next { self.finish() }
    }

    /// The loop was left, or its task cancelled.
    func finish() {
        loop.finish()
        adjustSubscription()
    }

    private func adjustSubscription() {
        subscription.follow {
            loop.isRunning ? interval : nil
        } subscribe: { interval in
            source.subscribe(interval) { event in self.receive(event) }
        }
    }

    private func receive(_ event: StreamEvent<Shaper.Input>) {
        loop.change { state in
            switch event {
            case .input(let input): state.shaper.take(input, into: &state.mailbox)
            case .lost(let kind, let error): state.mailbox.add(.loss(kind, error))
            case .regained: break
            }
        }
    }
}

/// One loop over batches, which ends its subscription when it is released.
final class BatchLoop<Shaper: ReadingShaper> {
    private let consumer: BatchConsumer<Shaper>
    private let missing: String

    /// - Parameter missing: Says what is not there where the device has not what it takes.
    init(_ consumer: BatchConsumer<Shaper>, missing: String) {
        self.consumer = consumer
        self.missing = missing
    }

    deinit {
        consumer.finish()
    }

    /// The next batch; nil when the task is cancelled. Throws when there is no such sensor or it is lost.
    func next() async throws -> Shaper.Value? {
        guard consumer.isAvailable else {
            consumer.finish()
            throw CMErrorNotAvailable.error(missing)
        }
        switch await consumer.next() {
        case .value(let batch)?: return batch
        case nil: return nil
        case .failure(let failure)?:
            consumer.finish()
            throw failure.error
        }
    }
}
