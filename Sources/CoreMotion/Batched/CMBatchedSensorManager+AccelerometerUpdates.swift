// This source file is part of the swift-device-services project.
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
        public func makeAsyncIterator() -> Iterator {
            Iterator(device: device)
        }

        /// One loop over the sequence.
        public struct Iterator: AsyncIteratorProtocol {
            private let handle: Handle

            /// Ends the subscription when the iterator is released.
            private final class Handle {
                let device: Device
                let consumer: BatchConsumer

                init(device: Device) {
                    self.device = device
                    consumer = BatchConsumer(device: device)
                }

                deinit {
                    consumer.finish()
                }
            }

            init(device: Device) {
                handle = Handle(device: device)
            }

            /// The next second of readings, once it is complete; nil when the task is cancelled.
            ///
            /// Throws `CMErrorNotAvailable` when there is no accelerometer or it is lost; the loop is over then.
            public mutating func next() async throws -> [CMAccelerometerData]? {
                guard handle.device.has(.accelerometer) else {
                    handle.consumer.finish()
                    throw CMErrorNotAvailable.error("There is no accelerometer.")
                }
                switch await handle.consumer.next() {
                case .readings(let readings): return readings.map(CMAccelerometerData.init)
                case .end: return nil
                case .failure(let error):
                    handle.consumer.finish()
                    throw CMError.error(error)
                }
            }
        }
    }
}
