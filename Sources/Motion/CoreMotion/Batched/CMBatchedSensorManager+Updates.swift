// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation

extension CMBatchedSensorManager {
    /// The sequence of `accelerometerUpdates()`.
    public struct AccelerometerUpdates: AsyncSequence, Sendable {
        /// About a second of readings, oldest first.
        public typealias Element = [CMAccelerometerData]
        /// What a loop over it uses.
        public typealias AsyncIterator = Iterator

        let device: Device

        /// A subscription of its own.
        public func makeAsyncIterator() -> Iterator { Iterator(device: device) }

        /// One loop over the sequence.
        public struct Iterator: AsyncIteratorProtocol {
            private let loop: BatchLoop<SecondOfReadings>

            init(device: Device) {
                loop = BatchLoop(
                    device: device, plan: SecondOfReadings.plan(device), interval: Batches.accelerometerInterval,
                    missing: "There is no accelerometer.")
            }

            /// The next second of readings, once it is complete; nil when the task is cancelled.
            ///
            /// Throws `CMErrorNotAvailable` when there is no accelerometer or it is lost; the loop is over then.
            public mutating func next() async throws -> [CMAccelerometerData]? {
                try await loop.next()?.map(CMAccelerometerData.init)
            }
        }
    }

    /// The sequence of `deviceMotionUpdates()`.
    public struct DeviceMotionUpdates: AsyncSequence, Sendable {
        /// About a second of device motions, oldest first.
        public typealias Element = [CMDeviceMotion]
        /// What a loop over it uses.
        public typealias AsyncIterator = Iterator

        let device: Device

        /// A subscription of its own.
        public func makeAsyncIterator() -> Iterator { Iterator(device: device) }

        /// One loop over the sequence.
        public struct Iterator: AsyncIteratorProtocol {
            private let loop: BatchLoop<SecondOfMotions>

            init(device: Device) {
                loop = BatchLoop(
                    device: device, plan: SecondOfMotions.plan(device), interval: Batches.deviceMotionInterval,
                    missing: "Device motion is not available: it takes an accelerometer and a gyroscope.")
            }

            /// The next second of device motions, once it is complete; nil when the task is cancelled.
            ///
            /// Throws `CMErrorNotAvailable` when there is no accelerometer or no gyroscope, or one of them is lost; the loop
            /// is over then.
            public mutating func next() async throws -> [CMDeviceMotion]? {
                try await loop.next()?.map { CMDeviceMotion($0) }
            }
        }
    }
}
