// SPDX-License-Identifier: Apache-2.0

#if !LibUdev
import DeviceCore
import Testing

import UdevMonitor

@Suite("Builds without libudev")
struct TraitTests {
    @Test("No devices are reported, and the reason is reported once")
    func without() {
        let log = EventLog()
        let monitor = UdevMonitor([UdevSelection(subsystem: "tty")], clock: LiveClock())
        monitor.start(receive: log.record)
        #expect(log.all == ["problem notSupported", "snapshot"])
        monitor.stop()
    }
}
#endif
