// SPDX-License-Identifier: Apache-2.0

#if !LibUdev
import DeviceCore
import Testing

import UdevMonitor

@Suite("A build without libudev")
struct TraitTests {
    @Test("There are no devices, and that is told once with the reason")
    func without() {
        let log = EventLog()
        let monitor = UdevMonitor([UdevSelection(subsystem: "tty")], clock: LiveClock())
        monitor.start(receive: log.note)
        #expect(log.all == ["problem notSupported", "snapshot"])
        monitor.stop()
    }
}
#endif
