// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import Foundation

extension CMBatchedSensorManager {
    /// The sequence of `deviceMotionUpdates()`, which is not available yet.
    public struct DeviceMotionUpdates: AsyncSequence, Sendable {
        /// About a second of device motions.
        public typealias Element = [CMDeviceMotion]
        /// What a loop over it uses.
        public typealias AsyncIterator = Iterator

        /// A loop that throws at once.
        public func makeAsyncIterator() -> Iterator {
            Iterator()
        }

        /// One loop over the sequence.
        public struct Iterator: AsyncIteratorProtocol {
            private var isOver = false

            init() {}

            /// Throws `CMErrorNotAvailable`: device motion is not available yet. Nil after that.
            public mutating func next() async throws -> [CMDeviceMotion]? {
                if isOver { return nil }
                isOver = true
                throw CMErrorNotAvailable.error("Device motion is not available: nothing computes the attitude yet.")
            }
        }
    }
}
