// SPDX-License-Identifier: Apache-2.0

package import AccessoryFinding
package import DeviceCore
import Synchronization

/// An event of a monitor.
package enum UdevEvent: Sendable {
    /// All existing devices, parents before children. Reported once, when the monitor starts. Only problems can precede
    /// the snapshot.
    case snapshot([UdevRecord])
    /// A device has been added, or the record of a known device has changed. Messages that change nothing, such as
    /// those caused by `udevadm trigger`, are not reported.
    case added(UdevRecord)
    /// A device has been removed. Contains its last known record.
    case removed(UdevRecord)
    /// Devices cannot be monitored, or can be monitored only without the information that udev adds. The message
    /// contains a remedy. A problem is reported once, and again only after it has been solved. Problems that are known
    /// at the start are reported before the snapshot.
    case problem(DeviceError)
    /// A reported problem has been solved.
    case solved(DeviceError)
}

package struct UdevMonitorOptions: Sendable {
    /// The size of the kernel's message buffer, in bytes. Limits how many messages are kept while the monitor's thread
    /// is busy. nil selects the maximum that the system permits.
    package var receiveBuffer: Int?
    /// True if udev rules are required, for example for protocol names and node permissions. A missing udevd is then
    /// reported as a problem and logged. False if the devices are used without udev rules.
    package var expectsRules = true
    /// The maximum number of devices. Further devices are omitted, which is reported as a problem.
    package var maximumDevices = 8192
    /// The interval, in seconds, between scans of all devices if the system permits no messages or messages may not
    /// arrive.
    package var scanInterval = 2.0
    /// The path of udevd's control socket. The socket exists if udevd is running or is started on demand.
    package var controlSocketPath = "/run/udev/control"
    /// The message groups that can reach this process.
    package var reachableGroups = ReachableGroups.current

    package init() {}
}

/// A device filter, with the attributes to read.
package struct UdevSelection: Sendable, Hashable {
    /// The subsystem, such as "tty", "usb", "hidraw" or "iio".
    package var subsystem: String
    /// The device type, such as "usb_device"; nil for all types of the subsystem.
    package var type: String?
    /// The sysfs attributes to read as text, such as "serial", up to 4,096 bytes each. An attribute that the device
    /// lacks is read from its USB interface, then from its USB device.
    package var attributes: [String]
    /// The sysfs attributes to encode in hexadecimal, such as "descriptors", up to 65,536 bytes each.
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
    // Logged once per process, regardless of the number of monitors.
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
    private let isSaid = Atomic<Bool>(false)

    func shouldLog() -> Bool { !isSaid.exchange(true, ordering: .relaxed) }
}
