// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Synchronization
import Testing

// In the same suite as the other test that installs a device: the installed device is global to the process.
extension ThreadTests {
    private static func device(_ name: String) -> Device {
        Device(
            name: name, clock: VirtualClock(), configuration: Configuration(), positionSource: PositionHub {})
    }

    @Test("An installed device remains until it is uninstalled")
    func installation() {
        let device = Self.device("installed")
        #expect(Device.installed == nil)
        Device.install(device)
        #expect(Device.installed === device)
        Device.install(nil)
        #expect(Device.installed == nil)
    }

    @Test("A device released by installing another can read the installed device")
    func installationReentered() {
        final class DeinitReporter: Sendable {
            let report: @Sendable (String?) -> Void
            init(report: @escaping @Sendable (String?) -> Void) { self.report = report }
            deinit { report(Device.installed?.name) }
        }
        let names = Mutex<[String?]>([])
        do {
            let device = Self.device("first")
            _ = device.component(DeinitReporter.self) { _ in
                DeinitReporter { name in names.withLock { $0.append(name) } }
            }
            Device.install(device)
        }
        Device.install(Self.device("second"))
        #expect(names.withLock { $0 } == ["second"])
        Device.install(nil)
    }
}
