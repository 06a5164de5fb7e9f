// SPDX-License-Identifier: Apache-2.0

import AppDelivery
import DeviceCore
import Foundation

extension CMBatchedSensorManager {
    /// An asynchronous sequence of batches of accelerometer readings.
    public struct AccelerometerUpdates: AsyncSequence, Sendable {
        /// About one second of readings, oldest first.
        public typealias Element = [CMAccelerometerData]
        /// The type of the sequence's iterator.
        public typealias AsyncIterator = Iterator

        let device: Device

        /// Creates an iterator with its own subscription.
        public func makeAsyncIterator() -> Iterator { Iterator(device: device) }

        /// An iterator over batches of accelerometer readings.
        public struct Iterator: AsyncIteratorProtocol {
            private let loop: BatchIteration<AccelerometerBatches>

            init(device: Device) {
                loop = BatchIteration(
                    device: device, configuration: AccelerometerBatches.configuration(for: device),
                    interval: Batches.accelerometerInterval, unavailableMessage: "There is no accelerometer.")
            }

            /// Waits for the next batch. Returns nil if the task has been cancelled. If the accelerometer is missing or
            /// lost, throws `CMErrorNotAvailable` or `CMErrorNotAuthorized` and ends the iteration.
            public mutating func next() async throws -> [CMAccelerometerData]? {
                try await loop.next()?.map(CMAccelerometerData.init)
            }
        }
    }

    /// An asynchronous sequence of batches of device motion.
    public struct DeviceMotionUpdates: AsyncSequence, Sendable {
        /// About one second of device motion values, oldest first.
        public typealias Element = [CMDeviceMotion]
        /// The type of the sequence's iterator.
        public typealias AsyncIterator = Iterator

        let device: Device

        /// Creates an iterator with its own subscription.
        public func makeAsyncIterator() -> Iterator { Iterator(device: device) }

        /// An iterator over batches of device motion.
        public struct Iterator: AsyncIteratorProtocol {
            private let loop: BatchIteration<DeviceMotionBatches>

            init(device: Device) {
                loop = BatchIteration(
                    device: device, configuration: DeviceMotionBatches.configuration(for: device),
                    interval: Batches.deviceMotionInterval,
                    unavailableMessage: "Device motion is not available: it requires an accelerometer and a gyroscope.")
            }

            /// Waits for the next batch. Returns nil if the task has been cancelled. If the accelerometer or the
            /// gyroscope is missing or lost, throws `CMErrorNotAvailable` or `CMErrorNotAuthorized` and ends the
            /// iteration.
            public mutating func next() async throws -> [CMDeviceMotion]? {
                try await loop.next()?.map { CMDeviceMotion($0) }
            }
        }
    }
}

/// An iterator's subscription, and the batches that the iterator has not returned yet. The source's thread converts and
/// queues the batches, and the iterator's task removes them.
final class BatchIteration<Converter: ReadingConverter>: Sendable {
    private struct State: ConsumerBuffer {
        var callbacks = PendingMotionCallbacks<Converter.Value>(limit: Batches.maximumQueuedBatches)
        var converter: Converter

        mutating func popFirst() -> PendingMotionCallbacks<Converter.Value>.Item? { callbacks.queue.popFirst() }
    }

    private let source: StreamSource<Converter.Input>
    private let interval: TimeInterval
    private let unavailableMessage: String
    private let loop: ConsumerLoop<State>
    private let subscription = RequestSubscription<TimeInterval>()

    /// - Parameter unavailableMessage: The error message if the device lacks a required sensor.
    init(
        device: Device, configuration: StreamConfiguration<Converter>, interval: TimeInterval,
        unavailableMessage: String
    ) {
        source = configuration.source
        (self.interval, self.unavailableMessage) = (interval, unavailableMessage)
        loop = ConsumerLoop(State(converter: configuration.makeConverter()), gate: device.playback?.consumerGate)
    }

    deinit { finish() }

    func next() async throws -> Converter.Value? {
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

    /// Called when the iterator is released, when its task is cancelled, or when an error is thrown.
    private func finish() {
        loop.finish()
        updateSubscription()
    }

    private func updateSubscription() {
        subscription.update {
            loop.isRunning ? interval : nil
        } subscribe: { interval in
            // The closure captures `loop` instead of `self`, because the subscription would otherwise keep this object
            // alive.
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
