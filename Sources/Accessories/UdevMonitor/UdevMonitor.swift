// SPDX-License-Identifier: Apache-2.0

package import DeviceCore
import Synchronization

/// A monitor of the devices in the udev database. Reports the existing devices, then added and removed devices.
///
/// A monitor runs one thread from `start` to `stop`. The thread owns the libudev objects and sleeps while no messages
/// arrive. Events are delivered on that thread, and a slow closure delays subsequent events. The kernel buffers
/// messages in the meantime. If the kernel drops messages, the monitor scans all devices and reports the differences as
/// if no message had been lost.
///
/// Messages come from udevd after it has run its rules, or from the kernel if udevd is not running. The monitor
/// switches between the two sources when udevd is started or stopped later. Without the package trait LibUdev, no
/// devices are reported, and a problem is reported once.
///
/// libudev reads environment variables. The process must not modify its environment while a monitor runs.
package final class UdevMonitor: Sendable {
    private let parts: MonitorParts
    private let current = Mutex<MonitorControl?>(nil)

    /// Creates a monitor. No sockets are opened before `start`.
    package convenience init(
        _ selections: [UdevSelection], clock: any DeviceClock, options: UdevMonitorOptions = UdevMonitorOptions()
    ) {
        #if LibUdev
        self.init(
            MonitorParts(clock: clock, options: options) { group throws(DeviceError) in
                try LibUdevConnection(group, selections: selections, receiveBuffer: options.receiveBuffer)
            })
        #else
        self.init(MonitorParts(clock: clock, options: options, connect: nil))
        #endif
    }

    init(_ parts: MonitorParts) { self.parts = parts }

    deinit { stop() }

    /// Starts the monitor. Reports problems first, then a snapshot of the devices, then changes. Does nothing if the
    /// monitor is already running.
    ///
    /// The closure is called on the monitor's thread. If the monitor cannot be started, it is called on the caller's
    /// thread with a problem and an empty snapshot.
    package func start(receive: @escaping @Sendable (UdevEvent) -> Void) {
        guard let connect = parts.connect else {
            receive(.problem(Self.libraryUnavailable))
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
                try WorkerThread.start { [parts] in
                    MonitorLoop(parts: parts, control: control, connect: connect, receive: receive).run()
                }
            } catch {
                current.withLock { if $0 === control { $0 = nil } }
                throw error
            }
        } catch {
            receive(.problem(error))
            receive(.snapshot([]))
        }
    }

    /// Stops the monitor. An event that is being delivered may still arrive. May be called from within the closure.
    ///
    /// The thread releases its resources and ends without waiting for anything except the closure.
    package func stop() {
        let control = current.withLock { current in
            defer { current = nil }
            return current
        }
        control?.stop()
    }

    /// The counters of the running monitor, for tests and measurements; nil if the monitor is not running.
    package var statistics: UdevStatistics? { current.withLock { $0 }?.statistics }

    static let libraryUnavailable = DeviceError(
        .notSupported,
        "USB accessories need libudev, and this program was built without the trait LibUdev. Install libudev-dev and build with the trait, which is on by default. Declared accessories are available without it."
    )
}
