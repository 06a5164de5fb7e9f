// SPDX-License-Identifier: Apache-2.0

#if !LibIIO
import DeviceCore
import Testing

import IIOSource

@Suite("A build without libiio")
struct TraitTests {
    @Test("The source has no sensors and notifies a subscriber once with the reason")
    func without() {
        let source = IIOSource(addresses: [.local], clock: LiveClock())
        #expect(source.sensors.isEmpty)
        let log = EventLog()
        let subscription = source.subscribe(MotionRequest(kind: .accelerometer)) { log.record($0) }
        #expect(log.all.count == 1)
        #expect(log.all.first?.hasPrefix("lost notSupported") == true)
        #expect(log.all.first?.contains("LibIIO") == true)
        subscription.cancel()
    }
}
#endif
