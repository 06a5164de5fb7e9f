// SPDX-License-Identifier: Apache-2.0

package import DeviceCore
import Synchronization

/// Monitors the devices in the udev database. Reports existing devices first, and then devices that are added or
/// removed.
///
/// Between `start` and `stop`, a monitor runs one thread that delivers the events and sleeps until messages arrive. If
/// the closure is slow, subsequent events are delayed while the kernel buffers the messages. If the kernel drops
/// messages, the monitor scans all devices and reports the differences.
///
/// If udevd is running, it sends a message about a device after running its rules. Otherwise, the messages come from
/// the kernel. The monitor switches between the two sources when udevd starts or stops. Without the package trait
/// LibUdev, the monitor reports one problem and no devices.
///
/// libudev reads environment variables, so the process must not modify its environment while a monitor runs.
package final class UdevMonitor: Sendable {
    private let dependencies: MonitorDependencies
    private let current = Mutex<MonitorControl?>(nil)

    package convenience init(
        _ selections: [UdevSelection], clock: any DeviceClock, options: UdevMonitorOptions = UdevMonitorOptions()
    ) {
        #if LibUdev
        self.init(
            MonitorDependencies(clock: clock, options: options) { group throws(DeviceError) in
                try LibUdevConnection(group, selections: selections, receiveBuffer: options.receiveBuffer)
            })
        #else
        self.init(MonitorDependencies(clock: clock, options: options, connect: nil))
        #endif
    }

    init(_ dependencies: MonitorDependencies) { self.dependencies = dependencies }

    deinit { stop() }

    /// Starts the monitor. Does nothing if the monitor is already running.
    ///
    /// The monitor first reports any problems, then a snapshot of the devices, and then changes. It calls the closure
    /// on its own thread. If the monitor cannot start, `start` itself calls the closure with a problem and an empty
    /// snapshot.
    package func start(receive: @escaping @Sendable (UdevEvent) -> Void) {
        guard let connect = dependencies.connect else {
            receive(.problems([Self.libraryUnavailable]))
            receive(.snapshot([]))
            return
        }
        do throws(DeviceError) {
            let control = MonitorControl(try WakeupPipe(for: "watching devices"))
            let isNew = current.withLock { current in
                guard current == nil else { return false }
                current = control
                return true
            }
            guard isNew else { return }
            do throws(DeviceError) {
                try WorkerThread.start { [dependencies] in
                    MonitorLoop(dependencies: dependencies, control: control, connect: connect, receive: receive).run()
                }
            } catch {
                current.withLock { if $0 === control { $0 = nil } }
                throw error
            }
        } catch {
            receive(.problems([error]))
            receive(.snapshot([]))
        }
    }

    /// Stops the monitor without waiting for its thread, so an event already being delivered may still arrive. May be
    /// called from the closure.
    package func stop() {
        let control = current.withLock { current in
            defer { current = nil }
            return current
        }
        control?.stop()
    }

    /// The counters of the running monitor, or `nil` if the monitor is not running.
    package var statistics: UdevStatistics? { current.withLock { $0 }?.statistics }

    static let libraryUnavailable = DeviceError(
        .notSupported,
        "USB accessories need libudev, and this program was built without the trait LibUdev. Install libudev-dev and build with the trait, which is on by default. Declared accessories are available without it."
    )
}
