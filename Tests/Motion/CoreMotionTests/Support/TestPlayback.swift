// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Synchronization

/// A playback executor that runs all callbacks in order when the test calls `run()`.
final class TestPlayback: PlaybackExecutorProvider {
    let usesLiveExecutors = false
    let consumerGate = ConsumerGate()
    private let waiting = Mutex<[@Sendable () -> Void]>([])

    func executor(onMainThread: Bool) -> any CallbackExecutor { PlaybackExecutor(playback: self) }

    func counting(_ executor: any CallbackExecutor) -> any CallbackExecutor { executor }

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

    private final class PlaybackExecutor: CallbackExecutor {
        private let playback: TestPlayback

        init(playback: TestPlayback) { self.playback = playback }

        func schedule(_ work: @escaping @Sendable () -> Void) { playback.waiting.withLock { $0.append(work) } }
    }
}
