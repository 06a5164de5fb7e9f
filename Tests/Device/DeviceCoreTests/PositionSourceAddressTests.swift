// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Testing

@Suite("Position source addresses")
struct PositionSourceAddressTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var text: String
        var client = PositionSourceAddress.Client.native
        var host: String
        var port: UInt16 = 2947
        var testDescription: String { text }
    }

    @Test(
        "All valid forms are parsed",
        arguments: [
            Case(text: "gpsd://board.local:2948", host: "board.local", port: 2948),
            Case(text: "gpsd://board.local", host: "board.local"),
            Case(text: "gpsd://board.local/", host: "board.local"),
            Case(text: "gpsd://board.local:", host: "board.local"),
            Case(text: "gpsd://board.local:1/", host: "board.local", port: 1),
            Case(text: "board.local:65535", host: "board.local", port: 65535),
            Case(text: "board", host: "board"),
            Case(text: "GPSD://Board", host: "Board"),
            Case(text: "libgps://10.0.0.7:2000", client: .libgps, host: "10.0.0.7", port: 2000),
            Case(text: "LibGPS://h", client: .libgps, host: "h"),
            Case(text: "gpsd://", host: "localhost"),
            Case(text: "gpsd://:3000", host: "localhost", port: 3000),
            Case(text: "gpsd://[::1]:2947", host: "::1"),
            Case(text: "[fe80::1%eth0]", host: "fe80::1%eth0"),
            Case(text: "libgps://[2001:db8::7]:99", client: .libgps, host: "2001:db8::7", port: 99),
        ])
    func valid(_ expected: Case) throws {
        let address = try PositionSourceAddress(expected.text)
        #expect(address.client == expected.client)
        #expect(address.host == expected.host)
        #expect(address.port == expected.port)
        // The printed address parses to the same address.
        #expect(try PositionSourceAddress(address.description) == address)
    }

    @Test("The default is gpsd on the local host")
    func standard() {
        #expect(PositionSourceAddress().description == "gpsd://localhost:2947")
        #expect(PositionSourceAddress(client: .libgps, host: "::1", port: 1).description == "libgps://[::1]:1")
    }

    @Test(
        "An invalid address is rejected, and the error shows the valid form",
        arguments: [
            "http://board", "tcp://board:2947", "://board", "gpsd:/board", "gpsd://board:0", "gpsd://board:65536",
            "gpsd://board:-1", "gpsd://board:+2947", "gpsd://board: 2947", "gpsd://board:2947x", "gpsd://board:0x10",
            "gpsd://board:2947/path", "gpsd://board/path", "gpsd://a b", "gpsd://a\tb", "gpsd://a\nb", "gpsd://a\0b",
            "gpsd://::1", "gpsd://::1:2947", "gpsd://[::1", "gpsd://[::1]2947", "gpsd://[::1]:x", "gpsd://[]",
            "gpsd://[]:1",
            "gpsd://board:٢٩٤٧", "gpsd://board:99999999999999999999",
        ])
    func invalid(_ text: String) {
        let error = #expect(throws: DeviceError.self) { try PositionSourceAddress(text) }
        #expect(error?.code == .invalidConfiguration)
        #expect(error?.message.contains("gpsd://host:port") == true)
    }

    @Test("A very long address is rejected with a short error message")
    func hostile() {
        let long = "gpsd://" + String(repeating: "a", count: 1_000_000)
        let error = #expect(throws: DeviceError.self) { try PositionSourceAddress(long) }
        #expect((error?.message.utf8.count ?? .max) < 1_000)
        #expect(throws: DeviceError.self) { try PositionSourceAddress(String(repeating: ":", count: 100_000)) }
        #expect(throws: DeviceError.self) { try PositionSourceAddress(String(repeating: "[", count: 100_000)) }
    }
}
