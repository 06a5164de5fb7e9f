// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import UdevRecords

/// Where a device of the kernel belongs, by its path in sysfs alone: records come in any order, and parents may be
/// missing when they do.
struct DevicePlace: Hashable {
    /// The device that is plugged in: the USB device that a node belongs to, else the device itself.
    var root: String
    /// The interface of USB; nil for the USB device itself and for what is no USB device.
    var interface: Interface?
    /// True for what USB brought.
    var isUSB: Bool

    struct Interface: Hashable {
        var configuration: UInt8
        var number: UInt8
    }

    /// The place of a record; nil when no accessory can come of it.
    init?(_ record: UdevRecord) {
        guard ["usb", "tty", "hidraw"].contains(record.subsystem) else { return nil }
        root = record.path
        isUSB = record.subsystem == "usb"
        if isUSB, record.type == "usb_device" { return }
        for component in record.path.split(separator: "/") {
            if let interface = Interface(component), let slash = record.path[..<component.startIndex].lastIndex(of: "/")
            {
                // The path below which an interface of USB lies is that of the device.
                (root, self.interface) = (String(record.path[..<slash]), interface)
            } else if component == "bluetooth" {
                // What lies behind an adapter is reached through it and is no part of it.
                (root, interface) = (record.path, nil)
            }
        }
        if interface == nil, isUSB { return nil }
        isUSB = interface != nil
    }
}

extension DevicePlace.Interface {
    /// Takes a name such as "1-2.4:1.0": bus, ports, configuration, interface.
    init?(_ component: Substring) {
        guard let colon = component.firstIndex(of: ":") else { return nil }
        let port = component[..<colon]
        guard let dash = port.firstIndex(of: "-"), Self.isNumber(port[..<dash]),
            port[port.index(after: dash)...].split(separator: ".", omittingEmptySubsequences: false)
                .allSatisfy({ Self.isNumber($0) })
        else { return nil }
        let numbers = component[component.index(after: colon)...].split(
            separator: ".", omittingEmptySubsequences: false)
        guard numbers.count == 2, let first = numbers.first, let last = numbers.last, Self.isNumber(first),
            Self.isNumber(last), let configuration = UInt8(first), let number = UInt8(last)
        else { return nil }
        self.init(configuration: configuration, number: number)
    }

    private static func isNumber(_ text: Substring) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }
}
