// SPDX-License-Identifier: Apache-2.0

import AppDelivery
import DeviceCore
import Foundation

/// One loop over batches. Its subscription ends with it.
final class BatchLoop<Shaper: ReadingShaper>: Sendable {
    private struct State: ConsumedState {
        var mailbox = Mailbox<Shaper.Value>(limit: Batches.limit)
        var shaper: Shaper

        mutating func takeFirst() -> Mailbox<Shaper.Value>.Item? { mailbox.outbox.takeFirst() }
    }

    private let source: StreamSource<Shaper.Input>
    private let interval: TimeInterval
    private let missing: String
    private let loop: ConsumerLoop<State>
    private let subscription = StandingSubscription<TimeInterval>()

    /// - Parameter missing: Says what is not there where the device has not what it takes.
    init(device: Device, plan: StreamPlan<Shaper>, interval: TimeInterval, missing: String) {
        source = plan.source
        self.interval = interval
        self.missing = missing
        loop = ConsumerLoop(State(shaper: plan.makeShaper()), gate: device.playback?.consumers)
    }

    deinit { finish() }

    /// The next batch; nil when the task is cancelled. Throws when there is no such sensor or it is lost.
    func next() async throws -> Shaper.Value? {
        guard source.isAvailable() else {
            finish()
            throw CMErrorNotAvailable.error(missing)
        }
        if loop.start({ $0.mailbox.empty(isOpen: true) }) { adjustSubscription() }
        switch await loop.next(onCancel: { self.finish() }) {
        case .value(let batch)?: return batch
        case nil: return nil
        case .failure(let failure)?:
            finish()
            throw failure.error
        }
    }

    /// The loop was left, or its task cancelled.
    private func finish() {
        loop.finish()
        adjustSubscription()
    }

    private func adjustSubscription() {
        subscription.follow {
            loop.isRunning ? interval : nil
        } subscribe: { interval in
            // Not of this object, which ends while it is subscribed.
            source.subscribe(interval, nil) { [loop] event in
                loop.change { state in
                    switch event {
                    case .input(let input): state.shaper.take(input, into: &state.mailbox)
                    case .lost(let kind, let error): state.mailbox.add(.loss(kind, error))
                    case .regained: break
                    }
                }
            }
        }
    }
}
