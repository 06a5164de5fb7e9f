// SPDX-License-Identifier: Apache-2.0

import AccessoryFinding
import DeviceCore

/// The devices of a computer with one USB port.
enum MonitorRecords {
    static let port = "/sys/devices/pci0000:00/0000:00:14.0/usb1/1-2"

    static func device(number: String = "006", serial: String = "WS-7731") -> UdevRecord {
        UdevRecord(
            path: port, subsystem: "usb", type: "usb_device", node: "/dev/bus/usb/001/\(number)",
            properties: ["BUSNUM": "001", "DEVNUM": number], attributes: ["idVendor": "1209", "serial": serial],
            usbDevice: port)
    }

    static func interface() -> UdevRecord {
        UdevRecord(
            path: "\(port)/1-2:1.0", subsystem: "usb", type: "usb_interface",
            attributes: ["interface": "com.example.scale"], usbInterface: "\(port)/1-2:1.0", usbDevice: port)
    }

    static func tty(_ name: String = "ttyACM0") -> UdevRecord {
        UdevRecord(
            path: "\(port)/1-2:1.0/tty/\(name)", subsystem: "tty", node: "/dev/\(name)",
            attributes: ["interface": "com.example.scale", "serial": "WS-7731"], usbInterface: "\(port)/1-2:1.0",
            usbDevice: port)
    }

    static func plain(_ number: Int) -> UdevRecord {
        UdevRecord(path: "/sys/devices/virtual/tty/tty\(number)", subsystem: "tty", node: "/dev/tty\(number)")
    }
}
