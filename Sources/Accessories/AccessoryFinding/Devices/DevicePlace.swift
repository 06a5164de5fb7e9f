// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore

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
        switch record.subsystem {
        case "usb" where record.type == "usb_device":
            self.init(root: record.path, interface: nil, isUSB: true)
        case "usb", "tty", "hidraw":
            self.init(path: record.path, isNode: record.subsystem != "usb")
        default: return nil
        }
    }

    /// The path below which an interface of USB lies is that of the device.
    private init?(path: String, isNode: Bool) {
        var found: (root: Substring, interface: Interface)?
        var start = path.startIndex
        while start < path.endIndex {
            let end = path[start...].firstIndex(of: "/") ?? path.endIndex
            let component = path[start..<end]
            if let interface = Interface(component), start > path.startIndex {
                found = (path[..<path.index(before: start)], interface)
            } else if component == "bluetooth" {
                // What lies behind an adapter is reached through it and is no part of it.
                found = nil
            }
            start = end < path.endIndex ? path.index(after: end) : end
        }
        if let found {
            self.init(root: String(found.root), interface: found.interface, isUSB: true)
        } else if isNode {
            self.init(root: path, interface: nil, isUSB: false)
        } else {
            return nil
        }
    }

    private init(root: String, interface: Interface?, isUSB: Bool) {
        self.root = root
        self.interface = interface
        self.isUSB = isUSB
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
