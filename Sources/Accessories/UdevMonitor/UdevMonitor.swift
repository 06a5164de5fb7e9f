// SPDX-License-Identifier: Apache-2.0

package import DeviceCore
import Synchronization

/// Tells which devices there are, which come and which go, as udev knows them.
///
/// One thread works for a monitor, from `start` to `stop`, and owns libudev's objects; it sleeps while nothing happens.
/// Events arrive on that thread, and a closure that takes long holds back what follows; meanwhile the kernel keeps
/// messages, and when it had to drop some, all devices are looked through and the differences are told as if nothing had
/// been lost.
///
/// Messages come from udevd when it runs, after its rules; else from the kernel itself. When udevd comes or goes later,
/// the monitor changes over. Without the trait LibUdev there are no devices, and that is told once.
///
/// libudev reads environment variables while it works: a program must not change its environment meanwhile.
package final class UdevMonitor: Sendable {
    private let parts: MonitorParts
    private let current = Mutex<MonitorControl?>(nil)

    /// A monitor of those devices. Nothing is opened before `start`.
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

    init(_ parts: MonitorParts) {
        self.parts = parts
    }

    deinit {
        stop()
    }

    /// Begins to watch: first what is wrong is told, then a snapshot, then what changes. Does nothing while the monitor
    /// runs.
    ///
    /// The closure is called on the monitor's thread; on the caller's only to say that there can be none.
    package func start(receive: @escaping @Sendable (UdevEvent) -> Void) {
        guard let connect = parts.connect else {
            receive(.problem(Self.withoutLibrary))
            receive(.snapshot([]))
            return
        }
        do throws(DeviceError) {
            let control = MonitorControl(try WakeUp(for: "watching devices"))
            let isNew = current.withLock { current in
                guard current == nil else { return false }
                current = control
                return true
            }
            guard isNew else { return }
            do throws(DeviceError) {
                try WorkerThread.start { [parts] in
                    MonitorRun(parts: parts, control: control, connect: connect, receive: receive).run()
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

    /// Ends watching; an event that is being handed over may still arrive. May be called from within the closure.
    ///
    /// The thread frees what it has and ends at once, without waiting for anything but the closure.
    package func stop() {
        let control = current.withLock { current in
            defer { current = nil }
            return current
        }
        control?.stop()
    }

    /// What the running monitor has done so far, for tests and measurements; nil when it does not run.
    package var statistics: UdevStatistics? { current.withLock { $0 }?.statistics }

    static let withoutLibrary = DeviceError(
        .notSupported,
        "USB accessories need libudev, and this program was built without the trait LibUdev. Install libudev-dev and build with the trait, which is on by default. Accessories that the configuration declares are served without it."
    )
}
