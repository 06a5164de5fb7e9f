// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import TestSupport
import Testing

@testable import AccessoryFinding

@Suite("USB descriptors")
struct USBDescriptorsTests {
    private static let device: [UInt8] = [18, 1, 0, 2, 0, 0, 0, 64, 9, 0x12, 3, 0, 0, 1, 1, 2, 3, 1]

    private static func configuration(_ value: UInt8) -> [UInt8] { [9, 2, 0, 0, 1, value, 0, 0x80, 50] }
    private static func interface(_ number: UInt8, _ alternate: UInt8) -> [UInt8] {
        [9, 4, number, alternate, 2, 0xff, 0xf0, 1, 0]
    }
    private static func endpoint(_ address: UInt8, _ attributes: UInt8, _ length: UInt16) -> [UInt8] {
        [7, 5, address, attributes, UInt8(length & 0xff), UInt8(length >> 8), 0]
    }

    @Test("Endpoints are selected by configuration, interface and alternate setting")
    func choice() {
        let parts = [
            Self.device, Self.configuration(1), Self.interface(0, 0), Self.interface(0, 1), Self.endpoint(0x83, 3, 8),
            Self.endpoint(0x81, 2, 512), Self.endpoint(0x02, 2, 64), Self.endpoint(0x84, 2, 512), Self.interface(1, 1),
            Self.endpoint(0x05, 2, 16), Self.configuration(4), Self.interface(0, 1), Self.endpoint(0x8a, 2, 1024),
            [3, 0x24, 0], Self.endpoint(0x0b, 2, 0x1800 | 1024),
        ]
        let descriptors = USBDescriptors(parts.flatMap { $0 })
        #expect(
            descriptors.bulkPair(configuration: 1, interface: 0, alternate: 1)
                == USBDescriptors.BulkPair(input: 0x81, output: 2, packetLength: 64, inputPacketLength: 512))
        #expect(descriptors.bulkPair(configuration: 1, interface: 0, alternate: 0) == nil)
        #expect(descriptors.bulkPair(configuration: 1, interface: 1, alternate: 1) == nil)
        #expect(descriptors.bulkPair(configuration: 2, interface: 0, alternate: 1) == nil)
        // Bits 11 and 12 of the packet length have another meaning.
        #expect(
            descriptors.bulkPair(configuration: 4, interface: 0, alternate: 1)
                == USBDescriptors.BulkPair(
                    input: 0x8a, output: 0x0b, packetLength: 1024, inputPacketLength: 1024))
    }

    @Test("Invalid descriptor lengths end the search, and endpoints with a packet length of 0 are ignored")
    func broken() {
        let start = Self.device + Self.configuration(1) + Self.interface(0, 1) + Self.endpoint(0x81, 2, 512)
        for tail: [UInt8] in [[0, 5], [1, 5], [7, 5, 2, 2], [3, 5, 2], [255], [], Self.endpoint(0x02, 2, 0)] {
            #expect(USBDescriptors(start + tail).bulkPair(configuration: 1, interface: 0, alternate: 1) == nil)
        }
    }

    @Test("Truncated, modified and random descriptors are parsed safely")
    func hostile() throws {
        let records = try UmockdevFile.records("composite-2acm-hid") + UmockdevFile.records("ea-native-two-protocols")
        var generator = TestRandom()
        for bytes in records.filter({ $0.type == "usb_device" }).compactMap({ $0.bytes(of: "descriptors") }) {
            for length in 0...bytes.count { Self.parse(Array(bytes[..<length])) }
            for index in bytes.indices {
                for value: UInt8 in [0, 1, 2, 7, 9, 0x7f, 0x80, 0xff] {
                    var changed = bytes
                    changed[index] = value
                    Self.parse(changed)
                }
            }
        }
        for _ in 0..<Thoroughness.rounds(2000, quick: 200) {
            Self.parse(
                (0..<Int.random(in: 0...300, using: &generator)).map { _ in UInt8.random(in: 0...9, using: &generator) }
            )
        }
        Self.parse([UInt8](repeating: 2, count: 1 << 20))
    }

    private static func parse(_ bytes: [UInt8]) {
        let pair = USBDescriptors(bytes).bulkPair(configuration: 1, interface: 0, alternate: 1)
        if let pair {
            #expect(pair.input & 0x80 != 0 && pair.output & 0x80 == 0 && (1...2047).contains(pair.packetLength))
        }
    }
}
