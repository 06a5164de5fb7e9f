// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore

extension CLLocationUpdate {
    /// The sequence of `liveUpdates()`.
    public struct Updates: AsyncSequence, Sendable {
        /// What the sequence is made of.
        public typealias Element = CLLocationUpdate
        /// What a loop over it uses.
        public typealias AsyncIterator = Iterator

        let configuration: LiveConfiguration
        let device: Device

        /// A client of its own.
        public func makeAsyncIterator() -> Iterator {
            Iterator(client: LiveUpdateClient(device: device))
        }

        /// One loop over the sequence.
        public struct Iterator: AsyncIteratorProtocol {
            private let handle: Handle

            /// Ends the client when the iterator is released.
            private final class Handle {
                let client: LiveUpdateClient

                init(client: LiveUpdateClient) {
                    self.client = client
                }

                deinit {
                    client.finish()
                }
            }

            init(client: LiveUpdateClient) {
                handle = Handle(client: client)
            }

            /// The next element, once there is one; nil when the task is cancelled. Never throws on Linux.
            public mutating func next() async throws -> CLLocationUpdate? {
                await handle.client.next()
            }
        }
    }
}
