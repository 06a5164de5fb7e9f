// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization

/// A place of delivery that waits for a source's descriptor itself, which saves waking a second thread for each reading.
package protocol DirectDelivery: Delivery {
    /// Looks in this place whenever the set is readable, until the subscription ends.
    ///
    /// `look` has to take all that there is, or to call `tellAgain`: a run loop is told of what is new only. What it schedules
    /// here runs right after it. It may be called once more while the subscription ends.
    ///
    /// - Returns: Nil while the place cannot do so. It may be able to later.
    func wait(for set: WaitSet, look: @escaping @Sendable () -> Void) throws(DeviceError) -> Subscription?
}

/// A place that waits itself, as a part of a request: the same one makes the same request.
package struct DirectPlace: Sendable, Hashable {
    package let delivery: any DirectDelivery

    /// That place; nil when it cannot wait.
    package init?(_ delivery: (any Delivery)?) {
        guard let delivery = delivery as? any DirectDelivery else { return nil }
        self.delivery = delivery
    }

    package static func == (left: DirectPlace, right: DirectPlace) -> Bool { left.delivery === right.delivery }

    package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(delivery)) }
}

/// What is scheduled for a place by who looks for a source's readings in that place.
package final class DirectTurns {
    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        pthread_key_create(&key, nil)
        return key
    }()

    private let place: any Delivery
    private var turns: [@Sendable () -> Void] = []

    /// None yet for that place.
    package init(for place: any Delivery) { self.place = place }

    /// Keeps the work, when it is scheduled in a look for that place; false for the caller to schedule it.
    package static func keep(_ work: @escaping @Sendable () -> Void, for place: any Delivery) -> Bool {
        guard let pointer = pthread_getspecific(key) else { return false }
        let current = Unmanaged<DirectTurns>.fromOpaque(pointer).takeUnretainedValue()
        guard current.place === place else { return false }
        current.turns.append(work)
        return true
    }

    /// Looks, and then runs what was scheduled for the place: in `enter`, which is not called for nothing.
    package func run(after look: () -> Void, enter: (() -> Void) -> Void) {
        // A callback may run a loop of its own, in which this thread looks again.
        let outer = pthread_getspecific(Self.key)
        pthread_setspecific(Self.key, Unmanaged.passUnretained(self).toOpaque())
        look()
        pthread_setspecific(Self.key, outer)
        guard !turns.isEmpty else { return }
        var due: [@Sendable () -> Void] = []
        swap(&due, &turns)
        enter { for turn in due { turn() } }
        due.removeAll(keepingCapacity: true)
        if turns.isEmpty { swap(&due, &turns) }
    }
}

extension QueueDelivery: DirectDelivery {
    /// A thread waits for the descriptor, and goes into the queue with what it finds. There is one at a time: a former one
    /// that the queue has not let in yet does not come out before.
    package func wait(for set: WaitSet, look: @escaping @Sendable () -> Void) throws(DeviceError) -> Subscription? {
        guard !isWaiting.exchange(true, ordering: .acquiringAndReleasing) else { return nil }
        let end = End()
        let wakeUp: WakeUp
        do throws(DeviceError) {
            wakeUp = try startWaiting(for: set, until: end, look: look)
        } catch {
            isWaiting.store(false, ordering: .releasing)
            throw error
        }
        return Subscription {
            end.hasCome.store(true, ordering: .releasing)
            wakeUp.signal()
        }
    }

    private func startWaiting(
        for set: WaitSet, until end: End, look: @escaping @Sendable () -> Void
    ) throws(DeviceError) -> WakeUp {
        let wakeUp = try WakeUp(for: "the readings of a queue")
        try WorkerThread.start(callsBack: true) { [self] in
            defer { isWaiting.store(false, ordering: .releasing) }
            let turns = DirectTurns(for: self)
            while !end.hasCome.load(ordering: .acquiring) {
                guard wakeUp.wait(for: set.descriptor, events: Int16(POLLIN), milliseconds: -1) else { continue }
                // Not by way of another thread, which would have to be woken.
                turns.run(after: look) { turns in queue.sync(execute: turns) }
            }
        }
        return wakeUp
    }

    private final class End: Sendable {
        let hasCome = Atomic<Bool>(false)
    }
}
