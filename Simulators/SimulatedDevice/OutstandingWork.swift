// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Synchronization

/// Counts callbacks that are on their way to a queue or a run loop, so that playback can wait for them.
final class OutstandingWork: Sendable {
    private struct State {
        var count = 0
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    var isDone: Bool { state.withLock { $0.count == 0 } }

    func begin() { state.withLock { $0.count += 1 } }

    func end() {
        let waiters = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            state.count -= 1
            guard state.count == 0 else { return [] }
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    func waitUntilDone() async {
        if isDone { return }
        await withCheckedContinuation { continuation in
            let isDone = state.withLock { state in
                if state.count == 0 { return true }
                state.waiters.append(continuation)
                return false
            }
            if isDone { continuation.resume() }
        }
    }
}

/// A live delivery whose work is counted.
final class TrackedDelivery: Delivery {
    private let delivery: any Delivery
    private let outstanding: OutstandingWork

    init(_ delivery: any Delivery, outstanding: OutstandingWork) {
        self.delivery = delivery
        self.outstanding = outstanding
    }

    func schedule(_ work: @escaping @Sendable () -> Void) {
        outstanding.begin()
        delivery.schedule { [outstanding] in
            work()
            outstanding.end()
        }
    }
}
