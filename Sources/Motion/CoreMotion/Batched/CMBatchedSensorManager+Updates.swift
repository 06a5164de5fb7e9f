// SPDX-License-Identifier: Apache-2.0

import AppDelivery
import DeviceCore
import Foundation

extension CMBatchedSensorManager {
    /// An asynchronous sequence of batches of accelerometer readings.
    public struct AccelerometerUpdates: AsyncSequence, Sendable {
        /// The readings of about one second, oldest first.
        public typealias Element = [CMAccelerometerData]
        /// The iterator of the sequence.
        public typealias AsyncIterator = Iterator

        let device: Device

        /// Creates an iterator with its own subscription.
        public func makeAsyncIterator() -> Iterator { Iterator(device: device) }

        /// An iterator over batches of accelerometer readings.
        public struct Iterator: AsyncIteratorProtocol {
            private let loop: BatchIteration<AccelerometerBatches>

            init(device: Device) {
                loop = BatchIteration(
                    device: device, plan: AccelerometerBatches.configuration(for: device),
                    interval: Batches.accelerometerInterval,
                    missing: "There is no accelerometer.")
            }

            /// Waits until the next batch is complete and returns it. Returns nil if the task has been cancelled.
            ///
            /// If the device has no accelerometer or loses it, throws `CMErrorNotAvailable` and ends the iteration.
            public mutating func next() async throws -> [CMAccelerometerData]? {
                try await loop.next()?.map(CMAccelerometerData.init)
            }
        }
    }

    /// An asynchronous sequence of batches of device motion.
    public struct DeviceMotionUpdates: AsyncSequence, Sendable {
        /// The device motion of about one second, oldest first.
        public typealias Element = [CMDeviceMotion]
        /// The iterator of the sequence.
        public typealias AsyncIterator = Iterator

        let device: Device

        /// Creates an iterator with its own subscription.
        public func makeAsyncIterator() -> Iterator { Iterator(device: device) }

        /// An iterator over batches of device motion.
        public struct Iterator: AsyncIteratorProtocol {
            private let loop: BatchIteration<DeviceMotionBatches>

            init(device: Device) {
                loop = BatchIteration(
                    device: device, plan: DeviceMotionBatches.configuration(for: device),
                    interval: Batches.deviceMotionInterval,
                    missing: "Device motion is not available: it requires an accelerometer and a gyroscope.")
            }

            /// Waits until the next batch is complete and returns it. Returns nil if the task has been cancelled.
            ///
            /// Throws `CMErrorNotAvailable` and ends the iteration if the accelerometer or the gyroscope is missing or
            /// lost.
            public mutating func next() async throws -> [CMDeviceMotion]? {
                try await loop.next()?.map { CMDeviceMotion($0) }
            }
        }
    }
}

final class BatchIteration<Shaper: ReadingConverter>: Sendable {
    private struct State: ConsumerBuffer {
        var callbacks = PendingMotionCallbacks<Shaper.Value>(limit: Batches.maximumQueuedBatches)
        var converter: Shaper

        mutating func popFirst() -> PendingMotionCallbacks<Shaper.Value>.Item? { callbacks.queue.popFirst() }
    }

    private let source: StreamSource<Shaper.Input>
    private let interval: TimeInterval
    private let unavailableMessage: String
    private let loop: ConsumerLoop<State>
    private let subscription = RequestSubscription<TimeInterval>()

    /// - Parameter missing: The description of the error that is thrown if the device lacks a required sensor.
    init(device: Device, plan: StreamConfiguration<Shaper>, interval: TimeInterval, missing: String) {
        source = plan.source
        (self.interval, self.unavailableMessage) = (interval, missing)
        loop = ConsumerLoop(State(converter: plan.makeConverter()), gate: device.playback?.consumerGate)
    }

    deinit { finish() }

    /// Returns the next batch, or nil if the task has been cancelled. Throws if a required sensor is missing or lost.
    func next() async throws -> Shaper.Value? {
        guard source.isAvailable() else {
            finish()
            throw CMErrorNotAvailable.error(unavailableMessage)
        }
        if loop.start({ $0.callbacks.reset(acceptsValues: true) }) { updateSubscription() }
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
        updateSubscription()
    }

    private func updateSubscription() {
        subscription.update {
            loop.isRunning ? interval : nil
        } subscribe: { interval in
            // The closure captures `loop` instead of `self`, so that the subscription does not keep this object alive.
            source.subscribe(interval, nil) { [loop] event in
                loop.update { state in
                    switch event {
                    case .input(let input): state.converter.process(input, into: &state.callbacks)
                    case .lost(let kind, let error): state.callbacks.append(.loss(kind, error))
                    case .regained: break
                    }
                }
            }
        }
    }
}
