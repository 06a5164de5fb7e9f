// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Synchronization

/// A playback executor that runs all callbacks in order when the test calls `run()`.
final class TestPlayback: PlaybackDelivery {
    let deliversAsLive = false
    let consumers = ConsumerGate()
    private let waiting = Mutex<[@Sendable () -> Void]>([])

    func delivery(onMainThread: Bool) -> any Delivery { Lane(playback: self) }

    func tracked(_ delivery: any Delivery) -> any Delivery { delivery }

    func run() {
        while true {
            let batch = waiting.withLock { waiting in
                defer { waiting = [] }
                return waiting
            }
            if batch.isEmpty { return }
            for work in batch { work() }
        }
    }

    private final class Lane: Delivery {
        private let playback: TestPlayback

        init(playback: TestPlayback) {
            self.playback = playback
        }

        func schedule(_ work: @escaping @Sendable () -> Void) {
            playback.waiting.withLock { $0.append(work) }
        }
    }
}
