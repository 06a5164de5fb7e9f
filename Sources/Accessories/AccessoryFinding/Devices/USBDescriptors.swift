// SPDX-License-Identifier: Apache-2.0

/// The descriptors of a USB device in the format of the sysfs attribute `descriptors`: the device descriptor, followed
/// by the descriptors of each configuration.
///
/// The contents are untrusted device data. All lengths and fields are validated.
package struct USBDescriptors: Sendable, Hashable {
    private let bytes: [UInt8]

    /// The maximum number of bytes that are parsed. It is sufficient for one configuration of the maximum length,
    /// 65,535 bytes, and a second one.
    package static let maximumLength = 1 << 17

    /// Creates descriptors from raw bytes. Ignores bytes beyond ``maximumLength``.
    package init(_ bytes: [UInt8]) {
        self.bytes = Array(bytes.prefix(Self.maximumLength))
    }

    /// A pair of bulk endpoints.
    package struct BulkPair: Sendable, Hashable {
        /// The address of the IN endpoint.
        package let input: UInt8
        /// The address of the OUT endpoint.
        package let output: UInt8
        /// The maximum packet size of the OUT endpoint, in bytes.
        package let packetLength: Int
        /// The maximum packet size of the IN endpoint, in bytes.
        package let inputPacketLength: Int
    }

    /// Returns the first bulk endpoint of each direction in an alternate setting; nil if one is missing.
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
            // The parser cannot find the next descriptor after an invalid length.
            guard length >= 2, length <= bytes.count - start else { break }
            let descriptor = bytes[start..<start + length]
            start += length
            switch descriptor[descriptor.startIndex + 1] {
            case 2:
                isSetting = false
                isConfiguration = Self.byte(5, of: descriptor) == configuration
            case 4:
                isSetting =
                    isConfiguration && Self.byte(2, of: descriptor) == interface
                    && Self.byte(3, of: descriptor) == alternate
            case 5 where isSetting:
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
