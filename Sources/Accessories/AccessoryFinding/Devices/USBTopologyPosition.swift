// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import UdevRecords

/// The position of a kernel device in the USB topology.
///
/// It is derived from the sysfs path alone, because records arrive in any order and the parent's record may be missing.
struct USBTopologyPosition: Hashable {
    /// The path of the attached device: the USB device that a node belongs to, or the device itself if it is not on
    /// USB.
    var root: String
    /// The USB interface; nil for a USB device itself and for devices that are not on USB.
    var interface: Interface?
    /// True if the device is a USB device or belongs to one.
    var isUSB: Bool

    struct Interface: Hashable {
        var configuration: UInt8
        var number: UInt8
    }

    /// Creates the position of a record; nil if the record cannot be part of an accessory.
    init?(_ record: UdevRecord) {
        guard ["usb", "tty", "hidraw"].contains(record.subsystem) else { return nil }
        root = record.path
        isUSB = record.subsystem == "usb"
        if isUSB, record.type == "usb_device" { return }
        for component in record.path.split(separator: "/") {
            if let interface = Interface(component), let slash = record.path[..<component.startIndex].lastIndex(of: "/")
            {
                // The parent directory of a USB interface is its USB device.
                (root, self.interface) = (String(record.path[..<slash]), interface)
            } else if component == "bluetooth" {
                // A device behind a Bluetooth adapter is not part of the adapter.
                (root, interface) = (record.path, nil)
            }
        }
        if interface == nil, isUSB { return nil }
        isUSB = interface != nil
    }
}

extension USBTopologyPosition.Interface {
    /// Parses the kernel name of a USB interface, bus-ports:configuration.interface, such as "1-2.4:1.0".
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
