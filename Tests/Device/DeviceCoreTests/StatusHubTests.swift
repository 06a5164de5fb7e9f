// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Synchronization
import Testing

@Suite("Status hub")
struct StatusHubTests {
    @Test("Only changes are delivered, until the subscription is cancelled")
    func changes() {
        let hub = StatusHub()
        let levels = Mutex<[Double?]>([])
        let subscription = hub.subscribe { battery in levels.withLock { $0.append(battery?.level) } }
        #expect(hub.hasSubscribers)
        #expect(hub.battery == nil)
        hub.post(BatteryReading(level: 0.5, state: .charging))
        hub.post(BatteryReading(level: 0.5, state: .charging))
        hub.post(BatteryReading(level: 0.5, state: .full))
        hub.post(nil)
        #expect(levels.withLock { $0 } == [0.5, 0.5, nil])
        subscription.cancel()
        #expect(!hub.hasSubscribers)
        hub.post(BatteryReading(level: 1, state: .full))
        #expect(levels.withLock { $0 }.count == 3)
        #expect(hub.battery?.state == .full)
    }
}
