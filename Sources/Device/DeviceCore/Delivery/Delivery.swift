// SPDX-License-Identifier: Apache-2.0

public import Dispatch
import Synchronization

/// The hop from a source's thread to the place where the app wants its callbacks.
public protocol Delivery: AnyObject, Sendable {
    /// Runs the work in that place, after all that was scheduled before, and never inside this call.
    func schedule(_ work: @escaping @Sendable () -> Void)
}

/// Delivery on a dispatch queue.
public final class QueueDelivery: Delivery {
    let queue: DispatchQueue
    let polling = Mutex(QueuePolling())

    /// Delivers on that queue, which should be serial: a concurrent one loses the order.
    public init(_ queue: DispatchQueue) { self.queue = queue }

    /// Callbacks on the main queue. It serves RunLoop.main.run(), dispatchMain() and an async main alike.
    public static let main = QueueDelivery(.main)

    /// Runs the work on the queue.
    public func schedule(_ work: @escaping @Sendable () -> Void) {
        if !DeferredCallbacks.append(work, for: self) { queue.async(execute: work) }
    }
}

/// Where callbacks go while a trace is played: the player runs them itself, in one global order.
public protocol PlaybackDelivery: AnyObject, Sendable {
    /// True when managers shall get the delivery that they would have on live hardware.
    var deliversAsLive: Bool { get }

    /// The delivery of a manager that was made on the main thread, or elsewhere.
    func delivery(onMainThread: Bool) -> any Delivery

    /// The delivery of a live kind, wrapped so that playback can wait until it has run what it was given.
    func tracked(_ delivery: any Delivery) -> any Delivery

    /// Counts consumers of async sequences, for which playback waits.
    var consumers: ConsumerGate { get }
}

/// Knows the place of the main queue, without Foundation.
///
/// That is more than the main thread: once dispatchMain() or an async main has given that thread up, Dispatch runs the
/// main queue, and with it the main actor, on threads of its own.
package enum MainThread {
    private static let key: DispatchSpecificKey<Bool> = {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        return key
    }()

    /// True where the main queue's work runs.
    package static var isCurrent: Bool { DispatchQueue.getSpecific(key: key) == true }
}
