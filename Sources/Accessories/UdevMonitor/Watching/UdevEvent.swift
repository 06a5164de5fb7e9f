// SPDX-License-Identifier: Apache-2.0

package import AccessoryFinding
package import DeviceCore
import Synchronization

/// An event of a monitor, delivered on the monitor's thread unless the monitor cannot start.
package enum UdevEvent: Sendable {
    /// All existing devices, parents before their children. Reported once, when the monitor starts. Only problems may
    /// be reported before the snapshot.
    case snapshot([UdevRecord])
    /// A device was added, or a known device's record has changed.
    case added(UdevRecord)
    /// A device was removed. The value is its last known record.
    case removed(UdevRecord)
    /// All current problems that prevent or limit the monitor's operation, each with a remedy in its message. Reported
    /// before the snapshot, even if there are none, and again whenever they change.
    case problems([DeviceError])
}

package struct UdevMonitorOptions: Sendable {
    /// The size of the kernel's message buffer, in bytes. `nil` selects the default of 128 MiB, or the system's limit
    /// if that is smaller.
    package var receiveBuffer: Int?
    /// True if the devices need udev rules, for example for protocol names and node permissions. In that case, the
    /// monitor reports a problem if udevd is not running.
    package var expectsRules = true
    /// The maximum number of devices. The monitor omits any further devices and reports a problem.
    package var maximumDevices = 8192
    /// The interval between scans of all devices, in seconds. The monitor scans at this interval only if messages might
    /// not reach it.
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
    /// The sysfs attributes to read as text, such as "serial". If the device lacks an attribute, the monitor reads it
    /// from the device's USB interface, or else from its USB device. Values are truncated to 4,096 bytes.
    package var attributes: [String]
    /// The sysfs attributes to read as binary data, such as "descriptors". Values are truncated to 65,536 bytes and
    /// encoded in hexadecimal.
    package var binaryAttributes: [String]

    package init(subsystem: String, type: String? = nil, attributes: [String] = [], binaryAttributes: [String] = []) {
        (self.subsystem, self.type) = (subsystem, type)
        (self.attributes, self.binaryAttributes) = (attributes, binaryAttributes)
    }

    func matches(subsystem: String, type: String) -> Bool {
        self.subsystem == subsystem && (self.type == nil || self.type == type)
    }
}

enum MonitorProblem {
    // A process may have several monitors. These two problems affect all of them, so each is logged only once per
    // process.
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
