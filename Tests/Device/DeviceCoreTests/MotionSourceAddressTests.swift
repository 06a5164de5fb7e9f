// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Testing

@Suite("Motion source addresses")
struct MotionSourceAddressTests {
    @Test(
        "All valid forms are parsed",
        arguments: [
            ("local:", MotionSourceAddress.Backend.local, ""), ("LOCAL:", .local, ""), ("ip:board", .network, "board"),
            ("ip:192.168.2.1:30432", .network, "192.168.2.1:30432"), ("ip:fe80::1%eth0", .network, "fe80::1%eth0"),
            ("ip:[::1]:5", .network, "[::1]:5"), ("usb:", .usb, ""), ("usb:1.2.3", .usb, "1.2.3"),
            ("serial:/dev/ttyUSB0,115200", .serial, "/dev/ttyUSB0,115200"), ("xml:/tmp/a b.xml", .xml, "/tmp/a b.xml"),
        ])
    func valid(text: String, backend: MotionSourceAddress.Backend, target: String) throws {
        let address = try MotionSourceAddress(text)
        #expect(address.backend == backend)
        #expect(address.target == target)
        #expect(try MotionSourceAddress(address.description) == address)
    }

    @Test(
        "An invalid address is rejected with the reason",
        arguments: [
            ("local", "it has no colon"), ("iio:x", "not one of local, ip, usb, serial and xml"),
            ("local:1", "nothing may follow local:"), ("ip:", "the host is missing"), ("ip::80", "the host is missing"),
            ("ip:a:0", "the port is not a number"), ("ip:a:65536", "the port is not a number"),
            ("ip:a:+1", "the port is not a number"), ("ip:[::1", "the bracket is not closed"),
            ("ip:[::1]x", "only :port may follow"), ("ip:a/b", "not a name or a numeric address"),
            ("usb:1\n2", "control characters"), ("", "it has no colon"),
        ])
    func invalid(text: String, reason: String) {
        let error = #expect(throws: DeviceError.self) { try MotionSourceAddress(text) }
        #expect(error?.code == .invalidConfiguration)
        #expect(error?.message.contains(reason) == true)
    }

    @Test("A list is separated by commas or spaces, and duplicates are removed")
    func list() throws {
        let addresses = try MotionSourceAddress.list("local:, ip:127.0.0.1:5 usb: local:")
        #expect(addresses.map(\.description) == ["local:", "ip:127.0.0.1:5", "usb:"])
    }
}
