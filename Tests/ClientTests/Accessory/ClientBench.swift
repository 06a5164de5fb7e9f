// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import ExternalAccessory
import Foundation

/// A device with in-memory accessories, whose callbacks run when the test calls `run()`.
final class ClientBench {
    final class Callbacks: PlaybackExecutorProvider, CallbackExecutor, @unchecked Sendable {
        private let lock = NSLock()
        private var waiting: [@Sendable () -> Void] = []
        private(set) var total = 0
        let usesLiveExecutors = false
        let consumerGate = ConsumerGate()

        func executor(onMainThread: Bool) -> CallbackExecutor { self }

        func counting(_ delivery: CallbackExecutor) -> CallbackExecutor { delivery }

        func schedule(_ work: @escaping @Sendable () -> Void) {
            lock.withLock {
                waiting.append(work)
                total += 1
            }
        }

        var count: Int { lock.withLock { waiting.count } }

        func run() {
            while let work = lock.withLock({ waiting.isEmpty ? nil : waiting.removeFirst() }) { work() }
        }
    }

    let accessories = TestAccessories()
    let callbacks = Callbacks()
    let device: Device

    init() {
        device = Device(
            name: "bench", clock: VirtualClock(now: BootTime(nanoseconds: 0)), configuration: Configuration(),
            positionSource: PositionHub(demandChanged: {}), accessorySource: accessories, playback: callbacks)
    }

    var manager: EAAccessoryManager { Device.$current.withValue(device) { EAAccessoryManager.shared() } }

    func use(_ body: () throws -> Void) rethrows { try Device.$current.withValue(device, operation: body) }

    func run() { callbacks.run() }
}
