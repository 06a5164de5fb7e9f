// SPDX-License-Identifier: Apache-2.0

#if LibUdev
import AccessoryFinding
import CLibUdev
import DeviceCore
import SystemCalls

/// Converts libudev devices to records of bounded size.
final class LibUdevReader {
    static let maximumProperties = 256
    static let maximumPropertyLength = 4096
    /// Properties that describe an event rather than the device.
    private static let eventProperties: Set<String> = [
        "ACTION", "DEVPATH_OLD", "SEQNUM", "SYNTH_UUID", "UDEV_DATABASE_VERSION", "USEC_INITIALIZED",
    ]

    private let selections: [UdevSelection]
    let attributes = AttributeReader()

    init(_ selections: [UdevSelection]) { self.selections = selections }

    static func path(of device: OpaquePointer) -> String? {
        guard let path = udev_device_get_syspath(device).map(String.init(cString:)), isBelowSysfs(path) else {
            return nil
        }
        return path
    }

    static func previousPath(of device: OpaquePointer) -> String? {
        guard let path = udev_device_get_property_value(device, "DEVPATH_OLD").map({ "/sys" + String(cString: $0) }),
            isBelowSysfs(path)
        else { return nil }
        return path
    }

    /// Returns `nil` if no selection matches.
    func record(of device: OpaquePointer, path: String) -> (UdevRecord, exists: Bool)? {
        guard let subsystem = udev_device_get_subsystem(device).map(String.init(cString:)) else { return nil }
        let type = udev_device_get_devtype(device).map(String.init(cString:)) ?? ""
        let matching = selections.filter { $0.matches(subsystem: subsystem, type: type) }
        guard !matching.isEmpty else { return nil }
        var record = UdevRecord(
            path: path, subsystem: subsystem, type: type,
            node: udev_device_get_devnode(device).map(String.init(cString:)) ?? "",
            isInitialized: udev_device_get_is_initialized(device) > 0)
        record.properties = properties(of: device)
        let exists = access(path, F_OK) == 0
        guard exists else { return (record, false) }
        setUSBParents(&record, device)
        var levels = [path]
        for ancestor in [record.usbInterface, record.usbDevice] where !ancestor.isEmpty && ancestor != path {
            levels.append(ancestor)
        }
        for selection in matching {
            for name in selection.attributes { record.attributes[name] = attributes.text(name, at: levels) }
            for name in selection.binaryAttributes {
                record.attributes[name] = attributes.hexadecimal(name, at: levels)
            }
        }
        return (record, true)
    }

    private func setUSBParents(_ record: inout UdevRecord, _ device: OpaquePointer) {
        if record.subsystem == "usb", record.type == "usb_device" {
            // A USB device's parents are not searched, because the search would find its hub.
            record.usbDevice = record.path
            return
        }
        // Most devices are not on USB. Skipping the search of their parents saves more than half of the time.
        guard Self.isOnUSB(record.path) else { return }
        func ancestor(_ type: String) -> String {
            // libudev returns a borrowed reference, which the child device owns, so the parent must not be released
            // here.
            guard let parent = udev_device_get_parent_with_subsystem_devtype(device, "usb", type) else { return "" }
            return Self.path(of: parent) ?? ""
        }
        record.usbInterface =
            record.subsystem == "usb" && record.type == "usb_interface" ? record.path : ancestor("usb_interface")
        record.usbDevice = ancestor("usb_device")
    }

    private func properties(of device: OpaquePointer) -> [String: String] {
        var properties: [String: String] = [:]
        var entry = udev_device_get_properties_list_entry(device)
        while let current = entry, properties.count < Self.maximumProperties {
            entry = udev_list_entry_get_next(current)
            guard let name = udev_list_entry_get_name(current).map(String.init(cString:)),
                name.utf8.count <= 255, !Self.eventProperties.contains(name), !name.hasPrefix("SYNTH_ARG_"),
                let value = udev_list_entry_get_value(current)
            else { continue }
            let count = strnlen(value, Self.maximumPropertyLength)
            properties[name] = value.withMemoryRebound(to: UInt8.self, capacity: count) {
                String(decoding: UnsafeBufferPointer(start: $0, count: count), as: UTF8.self)
            }
        }
        return properties
    }

    /// Returns true if a path is below a USB root hub, as in "/sys/devices/pci0000:00/0000:00:14.0/usb1/1-2".
    private static func isOnUSB(_ path: String) -> Bool {
        path.utf8.split(separator: UInt8(ascii: "/")).contains { $0.starts(with: "usb".utf8) }
    }

    private static func isBelowSysfs(_ path: String) -> Bool {
        path.hasPrefix("/sys/")
            && !path.utf8.split(separator: UInt8(ascii: "/")).contains { $0.elementsEqual("..".utf8) }
    }
}
#endif
