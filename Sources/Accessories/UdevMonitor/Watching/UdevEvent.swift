// SPDX-License-Identifier: Apache-2.0

package import DeviceCore
package import UdevRecords

/// An event of a monitor.
package enum UdevEvent: Sendable {
    /// All existing devices, parents before children. Reported once, when the monitor starts. Only problems can precede
    /// it.
    case snapshot([UdevRecord])
    /// A device has been added, or the record of a known device has changed. Messages without a change, such as those
    /// of `udevadm trigger`, are not reported.
    case added(UdevRecord)
    /// A device has been removed. Contains its last known record.
    case removed(UdevRecord)
    /// Devices cannot be monitored, or only without the information that udev adds. The message contains a remedy. A
    /// problem is reported once, and again only after it has been solved. Problems that are known at the start are
    /// reported before the snapshot.
    case problem(DeviceError)
    /// A reported problem has been solved.
    case solved(DeviceError)
}

/// Options of a monitor.
package struct UdevMonitorOptions: Sendable {
    /// The size of the kernel's message buffer, in bytes. It bounds the messages that are kept while the monitor's
    /// thread is busy. nil for the maximum that the system permits.
    package var receiveBuffer: Int?
    /// True if udev rules are required, for example for protocol names and node permissions. A missing udevd is then
    /// reported as a problem and logged. False if the devices are used without udev rules.
    package var expectsRules = true
    /// The maximum number of devices. Further devices are omitted, which is reported as a problem.
    package var maximumDevices = 8192
    /// The interval between scans of all devices if the system permits no messages, or if messages may not arrive, in
    /// seconds.
    package var scanInterval = 2.0
    /// The path of udevd's control socket. It exists if udevd is running or is started on demand.
    package var controlSocketPath = "/run/udev/control"
    /// The message groups that can reach this process.
    package var reachableGroups = ReachableGroups.current

    /// Creates options with defaults for embedded boards.
    package init() {}
}

/// A filter for devices, with the attributes to read.
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

    /// Creates a filter for a subsystem and type.
    package init(
        subsystem: String, type: String? = nil, attributes: [String] = [], binaryAttributes: [String] = []
    ) {
        self.subsystem = subsystem
        self.type = type
        self.attributes = attributes
        self.binaryAttributes = binaryAttributes
    }

    func matches(subsystem: String, type: String) -> Bool {
        self.subsystem == subsystem && (self.type == nil || self.type == type)
    }
}
