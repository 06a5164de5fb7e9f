// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import ExternalAccessory
import Synchronization
import Testing

/// A device with accessories in memory. Callbacks run on the test's thread in `run()`, or on their run loops if the
/// bench is live.
final class Bench: Sendable {
    /// Runs callbacks on the test's thread, in order.
    final class Callbacks: PlaybackExecutorProvider, CallbackExecutor {
        private let waiting = Mutex<[@Sendable () -> Void]>([])
        let usesLiveExecutors = false
        let consumerGate = ConsumerGate()

        func executor(onMainThread: Bool) -> any CallbackExecutor { self }

        func counting(_ executor: any CallbackExecutor) -> any CallbackExecutor { executor }

        func schedule(_ work: @escaping @Sendable () -> Void) { waiting.withLock { $0.append(work) } }

        var count: Int { waiting.withLock { $0.count } }

        func run() {
            while let work = waiting.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) { work() }
        }
    }

    let accessories = TestAccessories()
    let callbacks = Callbacks()
    let device: Device

    init(isLive: Bool = false, appProtocols: [String]? = nil) {
        var configuration = Configuration()
        configuration.appProtocols = Setting(appProtocols)
        device = Device(
            name: "bench", clock: VirtualClock(now: BootTime(nanoseconds: 0)), configuration: configuration,
            positionSource: PositionHub(demandChanged: {}), accessorySource: accessories,
            playback: isLive ? nil : callbacks)
    }

    /// The manager of this device.
    var manager: EAAccessoryManager { device.withCurrent { EAAccessoryManager.shared() } }

    /// Runs the pending callbacks.
    func run() { callbacks.run() }

    /// Attaches an accessory and opens a session with it.
    func session(_ name: String = "com.example.scale") throws -> (session: EASession, peer: MemoryChannel) {
        let id = accessories.attach(protocols: [name])
        let accessory = try #require(manager.connectedAccessories.first { $0.connectionID == id })
        let session = try EASession(opening: accessory, protocol: name)
        return (session, try #require(accessories.peer(id, name)))
    }
}
