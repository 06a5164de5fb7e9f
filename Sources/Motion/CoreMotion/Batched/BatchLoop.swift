// SPDX-License-Identifier: Apache-2.0

import AppDelivery
import DeviceCore
import Foundation

/// An iteration over batches, with a subscription that ends with it.
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

    /// - Parameter missing: The description of the error that is thrown if the device lacks a required sensor.
    init(device: Device, plan: StreamPlan<Shaper>, interval: TimeInterval, missing: String) {
        source = plan.source
        self.interval = interval
        self.missing = missing
        loop = ConsumerLoop(State(shaper: plan.makeShaper()), gate: device.playback?.consumers)
    }

    deinit { finish() }

    /// Returns the next batch; nil if the task has been cancelled. Throws if a required sensor is missing or lost.
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

    /// Ends the iteration. Called when the iterator is released, its task is cancelled, or an error is thrown.
    private func finish() {
        loop.finish()
        adjustSubscription()
    }

    private func adjustSubscription() {
        subscription.follow {
            loop.isRunning ? interval : nil
        } subscribe: { interval in
            // The closure captures `loop` instead of `self`, so that the subscription does not keep this object alive.
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
