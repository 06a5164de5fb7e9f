// SPDX-License-Identifier: Apache-2.0

package import AccessoryFinding
package import DeviceCore
import Synchronization

package enum UdevEvent: Sendable {
    /// All existing devices. Parents precede their children. Reported once, when the monitor starts. Only problems may
    /// precede the snapshot.
    case snapshot([UdevRecord])
    /// A device was added, or the record of a known device has changed.
    case added(UdevRecord)
    /// A device was removed. The event contains the last known record.
    case removed(UdevRecord)
    /// The monitor works with limitations or not at all. The error message contains a remedy. The monitor reports a
    /// problem again only after the problem has been solved. Problems that exist at the start precede the snapshot.
    case problem(DeviceError)
    case solved(DeviceError)
}

package struct UdevMonitorOptions: Sendable {
    /// The size of the kernel's message buffer, in bytes. `nil` selects the default of 128 MiB, or the system's limit
    /// if that is smaller.
    package var receiveBuffer: Int?
    /// True if the devices need udev rules, for example for protocol names and node permissions. The monitor then
    /// reports a missing udevd as a problem.
    package var expectsRules = true
    /// The maximum number of devices. The monitor omits further devices and reports a problem.
    package var maximumDevices = 8192
    /// The interval between scans of all devices, in seconds. The monitor scans periodically only if messages may be
    /// unable to reach it.
    package var scanInterval = 2.0
    /// The path of udevd's control socket. The socket exists if udevd is running or can be started on demand.
    package var controlSocketPath = "/run/udev/control"
    package var reachableGroups = ReachableGroups.current

    package init() {}
}

/// Selects devices and the attributes to read from them.
package struct UdevSelection: Sendable, Hashable {
    /// The subsystem, such as "tty", "usb", "hidraw" or "iio".
    package var subsystem: String
    /// The device type, such as "usb_device", or `nil` for all types of the subsystem.
    package var type: String?
    /// The sysfs attributes to read as text, such as "serial". Each is truncated to 4,096 bytes. If the device lacks an
    /// attribute, the monitor tries the device's USB interface and then its USB device.
    package var attributes: [String]
    /// The sysfs attributes to encode in hexadecimal, such as "descriptors". Each is truncated to 65,536 bytes.
    package var binaryAttributes: [String]

    package init(subsystem: String, type: String? = nil, attributes: [String] = [], binaryAttributes: [String] = []) {
        self.subsystem = subsystem
        self.type = type
        self.attributes = attributes
        self.binaryAttributes = binaryAttributes
    }

    func matches(subsystem: String, type: String) -> Bool {
        self.subsystem == subsystem && (self.type == nil || self.type == type)
    }
}

enum MonitorProblem {
    // Problems with udev rules and unreachable messages are logged once per process, regardless of the number of
    // monitors.
    static let rulesLogOnce = LogOnce()
    static let reachLogOnce = LogOnce()

    static let overflow =
        "The kernel dropped messages about devices, because its buffer was full. All devices are scanned, so none is missed. If this happens often, raise net.core.rmem_max."

    static let withoutMessages = DeviceError(
        .notSupported,
        "Messages about devices cannot reach the network or user namespace of this program, so all devices are scanned every few seconds until a message arrives. In a container, add --network host and use the user namespace of the host."
    )

    static func withoutRules(_ reason: String) -> DeviceError {
        DeviceError(
            .notFound,
            "udevd does not run (\(reason)), so only the kernel reports devices, and no udev rule names protocols or sets permissions. Start udevd; in a container, add -v /run/udev:/run/udev:ro and --network host."
        )
    }

    static func tooMany(_ limit: Int) -> DeviceError {
        DeviceError(.busy, "There are more than \(limit) devices. The most recently added ones are ignored.")
    }
}

final class LogOnce: Sendable {
    private let hasLogged = Atomic<Bool>(false)

    func shouldLog() -> Bool { !hasLogged.exchange(true, ordering: .relaxed) }
}
