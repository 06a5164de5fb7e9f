// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// Parses a USB device's sysfs attribute `descriptors`, which contains the device descriptor and the descriptors of
/// each configuration. The contents are untrusted, so all lengths and fields are validated.
package struct USBDescriptors: Sendable, Hashable {
    private let bytes: [UInt8]

    /// The maximum number of bytes to parse. This holds a device descriptor and two configurations, unless both
    /// configurations have nearly the maximum length of 65,535 bytes.
    package static let maximumLength = 1 << 17

    package init(_ bytes: [UInt8]) { self.bytes = Array(bytes.prefix(Self.maximumLength)) }

    package struct BulkPair: Sendable, Hashable {
        package let input: UInt8
        package let output: UInt8
        /// The maximum packet size of the OUT endpoint, in bytes.
        package let packetLength: Int
        /// The maximum packet size of the IN endpoint, in bytes.
        package let inputPacketLength: Int
    }

    /// Returns an alternate setting's first bulk endpoint in each direction, or `nil` if either is missing.
    ///
    /// - Parameter configuration: The value of `bConfigurationValue`, not an index.
    package func bulkPair(configuration: UInt8, interface: UInt8, alternate: UInt8) -> BulkPair? {
        var isConfiguration = false
        var isSetting = false
        var input: (address: UInt8, packetLength: Int)?
        var output: (address: UInt8, packetLength: Int)?
        var start = 0
        while bytes.count - start >= 2 {
            let length = Int(bytes[start])
            // After an invalid length, the start of the next descriptor is unknown.
            guard length >= 2, length <= bytes.count - start else { break }
            let descriptor = bytes[start..<start + length]
            start += length
            switch descriptor[descriptor.startIndex + 1] {
            case 2:  // Configuration.
                isSetting = false
                isConfiguration = Self.byte(5, of: descriptor) == configuration
            case 4:  // Interface.
                isSetting =
                    isConfiguration && Self.byte(2, of: descriptor) == interface
                    && Self.byte(3, of: descriptor) == alternate
            case 5 where isSetting:  // Endpoint.
                guard let address = Self.byte(2, of: descriptor), let attributes = Self.byte(3, of: descriptor),
                    let low = Self.byte(4, of: descriptor), let high = Self.byte(5, of: descriptor),
                    attributes & 3 == 2, address & 0x0f != 0
                else { continue }
                // Bits 11 and above of `wMaxPacketSize` do not apply to bulk endpoints.
                let packetLength = (Int(high) << 8 | Int(low)) & 0x7ff
                guard packetLength > 0 else { continue }
                if address & 0x80 != 0 {
                    if input == nil { input = (address, packetLength) }
                } else if output == nil {
                    output = (address, packetLength)
                }
            default: break
            }
        }
        guard let input, let output else { return nil }
        return BulkPair(
            input: input.address, output: output.address, packetLength: output.packetLength,
            inputPacketLength: input.packetLength)
    }

    private static func byte(_ offset: Int, of descriptor: ArraySlice<UInt8>) -> UInt8? {
        offset < descriptor.count ? descriptor[descriptor.startIndex + offset] : nil
    }
}

/// The position of a kernel device in the USB topology.
///
/// The position is derived only from the sysfs path, because the parent's record may be missing or arrive later.
struct USBTopologyPosition: Hashable {
    /// The path of the attached USB device, or of the kernel device if it is not on USB.
    var root: String
    /// The USB interface, or `nil` if the kernel device is a USB device or is not on USB.
    var interface: Interface?
    /// True if the kernel device is a USB device or belongs to one.
    var isUSB: Bool

    struct Interface: Hashable {
        var configuration: UInt8
        var number: UInt8
    }

    /// Returns `nil` if the record cannot be part of an accessory.
    init?(_ record: UdevRecord) {
        guard ["usb", "tty", "hidraw"].contains(record.subsystem) else { return nil }
        root = record.path
        isUSB = record.subsystem == "usb"
        if isUSB, record.type == "usb_device" { return }
        for component in record.path.split(separator: "/") {
            if let interface = Interface(component), let slash = record.path[..<component.startIndex].lastIndex(of: "/")
            {
                // In sysfs, the parent directory of a USB interface is its USB device.
                (root, self.interface) = (String(record.path[..<slash]), interface)
            } else if component == "bluetooth" {
                // A device that is connected through a Bluetooth adapter is a separate device, not part of the adapter.
                (root, interface) = (record.path, nil)
            }
        }
        if interface == nil, isUSB { return nil }
        isUSB = interface != nil
    }
}

extension USBTopologyPosition.Interface {
    /// Parses the kernel's name for a USB interface, such as "1-2.4:1.0". The configuration and interface numbers
    /// follow the colon.
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
