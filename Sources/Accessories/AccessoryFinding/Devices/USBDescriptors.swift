// SPDX-License-Identifier: Apache-2.0

/// The descriptors of a USB device as the kernel shows them: the device's, then those of each configuration.
///
/// They come from the device, which may say anything: nothing in them is taken for granted.
package struct USBDescriptors: Sendable, Hashable {
    /// The raw bytes.
    private let bytes: [UInt8]

    /// More than the largest configuration of 65,535 bytes and a second one.
    package static let maximumLength = 1 << 17

    /// Descriptors of those bytes.
    package init(_ bytes: [UInt8]) {
        self.bytes = Array(bytes.prefix(Self.maximumLength))
    }

    /// A pair of bulk endpoints.
    package struct BulkPair: Sendable, Hashable {
        /// The address to read from.
        package let input: UInt8
        /// The address to write to.
        package let output: UInt8
        /// The largest packet of the output.
        package let packetLength: Int
        /// The largest packet of the input.
        package let inputPacketLength: Int
    }

    /// The first bulk endpoint of each direction of an alternate setting; nil when one is missing.
    ///
    /// - Parameter configuration: The value of the configuration, which is not its place in the list.
    package func bulkPair(configuration: UInt8, interface: UInt8, alternate: UInt8) -> BulkPair? {
        var isConfiguration = false
        var isSetting = false
        var input: (address: UInt8, packetLength: Int)?
        var output: (address: UInt8, packetLength: Int)?
        var start = 0
        while bytes.count - start >= 2 {
            let length = Int(bytes[start])
            // A length that leads nowhere: what follows has no beginning.
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
                // The bits above are about transactions of other kinds of endpoints.
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
