// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import LiveDevice

/// One element of `CLLocationUpdate.liveUpdates()`: a location, or the news that there is none for now and why.
public struct CLLocationUpdate: Sendable {
    /// The location; nil when the element only reports a state.
    public let location: CLLocation?
    /// True when the device rests. After such an element none follows until the device moves.
    public let stationary: Bool
    /// True when the program may not use the position.
    public let authorizationDenied: Bool
    /// True when nobody may, because the services are switched off.
    public let authorizationDeniedGlobally: Bool
    /// True when the use of the position is restricted on this machine.
    public let authorizationRestricted: Bool
    /// True while a policy has not answered the request to use the position.
    public let authorizationRequestInProgress: Bool
    /// True when there is no position for now: no fix, no receiver, no gpsd.
    public let locationUnavailable: Bool
    /// True when only a reduced accuracy is allowed.
    public let accuracyLimited: Bool

    /// The former name of `stationary`.
    public var isStationary: Bool { stationary }
    /// False: a process on Linux is always in use.
    public var insufficientlyInUse: Bool { false }
    /// False: Linux needs no session.
    public var serviceSessionRequired: Bool { false }

    /// What the locations are for. A hint, without an effect on Linux.
    public enum LiveConfiguration: Sendable, Hashable {
        /// Nothing special.
        case `default`
        /// Navigation in a car.
        case automotiveNavigation
        /// Navigation by other means.
        case otherNavigation
        /// Walking, running, cycling.
        case fitness
        /// In the air.
        case airborne
        /// On the water.
        case maritime
    }

    /// The position as a sequence that never ends by itself.
    ///
    /// Each loop over it is a client of its own: it starts with the first element asked for and ends when the loop is
    /// left or its task is cancelled. At most 1,024 elements wait to be taken; then the oldest are dropped. It belongs to
    /// the device in force where this is called.
    ///
    /// Playback waits for a loop that works on an element, so do not await `play()` or `advance(by:)` in the body.
    public static func liveUpdates(_ configuration: LiveConfiguration = .default) -> Updates {
        Updates(device: LiveDevice.resolved)
    }
}

extension CLLocationUpdate {
    /// The sequence of `liveUpdates()`.
    public struct Updates: AsyncSequence, Sendable {
        /// What the sequence is made of.
        public typealias Element = CLLocationUpdate
        /// What a loop over it uses.
        public typealias AsyncIterator = Iterator

        let device: Device

        /// A client of its own.
        public func makeAsyncIterator() -> Iterator { Iterator(client: LiveUpdateClient(device: device)) }

        /// One loop over the sequence.
        public struct Iterator: AsyncIteratorProtocol {
            private let handle: Handle

            /// Ends the client when the iterator is released.
            private final class Handle {
                let client: LiveUpdateClient

                init(_ client: LiveUpdateClient) { self.client = client }

                deinit { client.finish() }
            }

            init(client: LiveUpdateClient) {
                handle = Handle(client)
            }

            /// The next element, once there is one; nil when the task is cancelled. Never throws on Linux.
            public mutating func next() async throws -> CLLocationUpdate? {
                await handle.client.next()
            }
        }
    }
}
