// SPDX-License-Identifier: Apache-2.0

import GPSDProtocol
import Testing

@Suite("gpsd requests")
struct RequestTests {
    @Test("Requests have the form of gpsd's documentation and end with a semicolon and a line feed")
    func writesRequests() {
        #expect(GPSDRequest.version == [UInt8]("?VERSION;\n".utf8))
        #expect(GPSDRequest.devices == [UInt8]("?DEVICES;\n".utf8))
        #expect(GPSDRequest.poll == [UInt8]("?POLL;\n".utf8))
        #expect(GPSDRequest.watch(enabled: true) == [UInt8]("?WATCH={\"enable\":true,\"json\":true};\n".utf8))
        #expect(GPSDRequest.watch(enabled: false) == [UInt8]("?WATCH={\"enable\":false,\"json\":true};\n".utf8))
    }

    @Test("The device path in a request is escaped")
    func escapesPaths() {
        let request = GPSDRequest.watch(enabled: true, device: "/dev/\"odd\\\n")
        let expected = #"?WATCH={"enable":true,"json":true,"device":"/dev/\"odd\\\n"};"# + "\n"
        #expect(String(decoding: request, as: UTF8.self) == expected)
    }
}
