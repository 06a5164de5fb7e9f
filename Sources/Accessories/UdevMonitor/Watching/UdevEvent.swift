// SPDX-License-Identifier: Apache-2.0

package import DeviceCore
package import UdevRecords

/// What a monitor tells.
package enum UdevEvent: Sendable {
    /// All devices there are, when the monitor starts, and only then: the first event but for problems. Parents come
    /// before children.
    case snapshot([UdevRecord])
    /// A device is there, or something in the record of a device that was there has changed. Messages about a device
    /// that is as it was, as `udevadm trigger` makes them, are not told.
    case added(UdevRecord)
    /// A device is gone, with all that was known of it.
    case removed(UdevRecord)
    /// Devices cannot be watched, or not with everything that udev adds; what to do about it. Told once, and again only
    /// after it was solved. What is known at the start comes before the snapshot.
    case problem(DeviceError)
    /// What was told as a problem is none any more.
    case solved(DeviceError)
}

/// How a monitor works, beyond what it looks at.
package struct UdevMonitorOptions: Sendable {
    /// Bytes of messages that the kernel keeps while the monitor's thread is busy; nil for as many as are allowed.
    package var receiveBuffer: Int?
    /// True where udev's rules matter, as they do for names of protocols and for the permissions of nodes: when no udevd
    /// runs, that is told and logged. False where a device is used as the kernel gives it.
    package var expectsRules = true
    /// The most devices that are kept; further ones are left out, and that is told.
    package var mostDevices = 8192
    /// Seconds between looks at all devices where the system allows no messages about them, or where they may not come.
    package var scanInterval = 2.0
    /// udevd's control socket: it is there while udevd runs or is started when needed.
    package var control = "/run/udev/control"
    /// Whose messages come here.
    package var reach = MessageReach.current

    /// The values that suit boards.
    package init() {}
}

/// The devices that a monitor looks at, and what it keeps of them.
package struct UdevSelection: Sendable, Hashable {
    /// As in "tty", "usb", "hidraw" or "iio".
    package var subsystem: String
    /// As in "usb_device"; nil for all types of the subsystem.
    package var type: String?
    /// The attributes of sysfs to keep, as in "serial": those of the device itself, else those of the USB interface or
    /// the USB device that it belongs to. Text, of which at most 4,096 bytes are kept.
    package var attributes: [String]
    /// Those to keep as hexadecimal digits, two for each byte, as in "descriptors"; at most 65,536 bytes.
    package var binaryAttributes: [String]

    /// Devices of that subsystem and type.
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
