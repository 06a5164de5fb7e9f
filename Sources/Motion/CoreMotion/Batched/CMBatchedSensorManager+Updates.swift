// SPDX-License-Identifier: Apache-2.0

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

            /// Returns the next batch once it is complete; nil if the task has been cancelled.
            ///
            /// Throws `CMErrorNotAvailable` and ends the iteration if the device has no accelerometer or the
            /// accelerometer is lost.
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

            /// Returns the next batch once it is complete; nil if the task has been cancelled.
            ///
            /// Throws `CMErrorNotAvailable` and ends the iteration if the accelerometer or the gyroscope is missing or
            /// lost.
            public mutating func next() async throws -> [CMDeviceMotion]? {
                try await loop.next()?.map { CMDeviceMotion($0) }
            }
        }
    }
}
