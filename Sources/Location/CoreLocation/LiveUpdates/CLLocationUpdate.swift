// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import LiveDevice

/// An element of `liveUpdates()`. It contains a location, a state such as a denied authorization, or both.
public struct CLLocationUpdate: Sendable {
    /// The location, or nil if the element only reports a state.
    public let location: CLLocation?
    /// True if the device is stationary. No further elements are delivered until the device moves, or until the
    /// authorization or position availability changes.
    public let stationary: Bool
    /// True if the app is denied access to the position.
    public let authorizationDenied: Bool
    /// True if location services are disabled, which denies all apps access to the position.
    public let authorizationDeniedGlobally: Bool
    /// True if access to the position is restricted on this machine.
    public let authorizationRestricted: Bool
    /// True while an authorization request is in progress.
    public let authorizationRequestInProgress: Bool
    /// True if no position is available, for example because there is no fix, no receiver or no connection to gpsd.
    public let locationUnavailable: Bool
    /// True if only reduced accuracy is authorized.
    public let accuracyLimited: Bool

    /// The former name of `stationary`.
    public var isStationary: Bool { stationary }
    /// Always false, because an app on Linux always counts as being in use.
    public var insufficientlyInUse: Bool { false }
    /// Always false, because Linux does not require a service session.
    public var serviceSessionRequired: Bool { false }

    /// The activity for which the app needs locations. This hint has no effect on Linux.
    public enum LiveConfiguration: Sendable, Hashable {
        /// No specific activity.
        case `default`
        /// Navigation in a car.
        case automotiveNavigation
        /// Navigation in vehicles other than cars.
        case otherNavigation
        /// Walking, running or cycling.
        case fitness
        /// Flying.
        case airborne
        /// Travelling on water.
        case maritime
    }

    /// Returns an endless sequence of location updates.
    ///
    /// Each loop over the sequence receives its own updates, which start when the loop requests the first element, and
    /// stop when the loop ends or its task is cancelled. At most 1,024 elements are buffered. If the buffer is full,
    /// the oldest element is dropped. The sequence belongs to the device that is current when this method is called.
    ///
    /// During trace playback, the player waits until the loop has processed each element. Do not await `play()` or
    /// `advance(by:)` in the loop body, because the player and the loop would wait for each other.
    public static func liveUpdates(_ configuration: LiveConfiguration = .default) -> Updates {
        Updates(device: LiveDevice.resolved)
    }

    /// The sequence returned by `liveUpdates()`.
    public struct Updates: AsyncSequence, Sendable {
        /// The element type of the sequence.
        public typealias Element = CLLocationUpdate
        /// The iterator type of the sequence.
        public typealias AsyncIterator = Iterator

        let device: Device

        /// Returns an iterator that receives its own updates.
        public func makeAsyncIterator() -> Iterator { Iterator(client: LiveUpdateClient(device: device)) }

        /// An iterator over location updates.
        public struct Iterator: AsyncIteratorProtocol {
            private let handle: Handle

            /// Stops the location updates when the iterator is released.
            private final class Handle {
                let client: LiveUpdateClient

                init(_ client: LiveUpdateClient) { self.client = client }

                deinit { client.finish() }
            }

            init(client: LiveUpdateClient) { handle = Handle(client) }

            /// Returns the next element, or nil if the task is cancelled. Never throws on Linux.
            public mutating func next() async throws -> CLLocationUpdate? { await handle.client.next() }
        }
    }
}
