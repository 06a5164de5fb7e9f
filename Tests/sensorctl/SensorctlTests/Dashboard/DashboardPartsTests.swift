// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemCalls
import Testing

@testable import Dashboard
@testable import SensorTools

@Suite("Components of the dashboard's server")
struct DashboardPartsTests {
    // Test vectors of FIPS 180-4, RFC 3174 and RFC 4648, section 10.
    @Test(
        "SHA-1 hashes match the published test vectors",
        arguments: [
            ("abc", "a9993e364706816aba3e25717850c26c9cd0d89d"), ("", "da39a3ee5e6b4b0d3255bfef95601890afd80709"),
            ("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", "84983e441c3bd26ebaae4aa1f95129e5e54670f1"),
            (String(repeating: "a", count: 1_000_000), "34aa973cd4c4daa4f61eeb2bdbad27316534016f"),
        ])
    func sha1(_ text: String, _ hash: String) {
        #expect(SHA1.hash(Array(text.utf8)).map { String(format: "%02x", $0) }.joined() == hash)
    }

    @Test(
        "Base64 encoding matches the published test vectors",
        arguments: [
            ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ])
    func base64(_ text: String, _ encoded: String) { #expect(Base64.text(Array(text.utf8)) == encoded) }

    @Test("A request that arrives byte by byte is incomplete until its last byte")
    func request() throws {
        let bytes = Array(
            "GET /page/a.js?x=1 HTTP/1.1\r\nHost: a:1\r\nCONNECTION: keep-alive, Upgrade \r\nX:\r\n\r\nrest".utf8)
        for count in 0..<(bytes.count - 4) { #expect(HTTPRequest.parse(bytes[..<count]) == .incomplete) }
        guard case .request(let request, let length) = HTTPRequest.parse(bytes[...]) else {
            Issue.record("It is no request.")
            return
        }
        #expect(length == bytes.count - 4)
        #expect((request.method, request.path) == ("GET", "/page/a.js"))
        #expect(request.value("host") == "a:1")
        #expect(request.value("x") == "")
        #expect(request.contains("upgrade", inHeader: "connection"))
        #expect(request.keepsAlive)
    }

    @Test(
        "Malformed requests are refused as bad requests",
        arguments: [
            "GET / HTTP/1.1\nHost: a\r\n\r\n", "GET  / HTTP/1.1\r\n\r\n", "GET / HTTP/2.0\r\n\r\n", "GET /\r\n\r\n",
            "\r\n\r\n", "GET http://a/ HTTP/1.1\r\n\r\n", "GET / HTTP/1.1\r\nHost\r\n\r\n",
            "GET / HTTP/1.1\r\n: a\r\n\r\n", "GET / HTTP/1.1\r\nHost : a\r\n\r\n", "GET / HTTP/1.1\r\n Host: a\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a\r\n b\r\n\r\n", "GET / HTTP/1.1\r\nX: a\rb\r\n\r\n",
            "GET / HTTP/1.1\r\nX: a\nY: b\r\n\r\n", "GET / HTTP/1.1\r\nX: \u{0}\r\n\r\n",
            "GET /\u{7F} HTTP/1.1\r\n\r\n", " GET / HTTP/1.1\r\n\r\n",
        ])
    func noRequest(_ text: String) { #expect(HTTPRequest.parse(Array(text.utf8)[...]) == .invalid(.badRequest)) }

    @Test("A page's queue drops and counts the oldest readings, and keeps state messages")
    func queue() {
        var queue = PageOutputQueue()
        queue.add([1], readings: 0)
        let part = [UInt8](repeating: 2, count: 1000)
        for _ in 0..<10_000 { queue.add(part, readings: 10) }
        queue.add([3], readings: 0)
        #expect(queue.size <= PageOutputQueue.limit)
        var bytes: [UInt8] = []
        while queue.send(
            atMost: 65_536,
            { buffer in
                bytes += buffer
                return buffer.count
            })
        {}
        #expect(queue.isEmpty)
        #expect(queue.size == 0)
        #expect(bytes.first == 1)
        let parts = bytes.count { $0 == 2 } / 1000
        let text = String(decoding: bytes.suffix(100), as: UTF8.self)
        #expect(text.contains(#""type":"dropped","count":\#((10_000 - parts) * 10)}"#))
    }

    @Test("Pending answers are counted until they are sent or dropped")
    func answers() {
        var queue = PageOutputQueue()
        for _ in 0..<10 { queue.addResponse([1, 2, 3]) }
        #expect(queue.responseCount == 10)
        #expect(queue.send(atMost: 6) { $0.count })
        #expect(queue.responseCount == 8)
        // The queue has no readings to drop, so it drops the answers.
        queue.add([UInt8](repeating: 4, count: PageOutputQueue.limit), readings: 0)
        #expect(queue.responseCount == 0)
        var bytes = 0
        while queue.send(
            atMost: 65_536,
            { buffer in
                bytes += buffer.count { $0 == 4 }
                return buffer.count
            })
        {}
        #expect(bytes == PageOutputQueue.limit)
        #expect((queue.size, queue.responseCount) == (0, 0))
    }

    @Test("An unusually long interval is a gap, but a lower rate is not reported repeatedly")
    func gaps() {
        var watch = GapDetector()
        var gaps: [Double] = []
        func process(_ times: some Sequence<Double>) {
            for time in times { if let gap = watch.process(time) { gaps.append(gap.start) } }
        }
        process(stride(from: 0, through: 10, by: 0.01))
        process(stride(from: 12, through: 14, by: 0.01))
        process(stride(from: 16, through: 18, by: 0.01))
        #expect(gaps.map { $0.rounded() } == [10, 14])
        gaps = []
        process(stride(from: 19, through: 100, by: 1))
        #expect((1...6).contains(gaps.count))
    }

    @Test("A partly sent frame is not dropped")
    func partlySent() {
        var queue = PageOutputQueue()
        let first = [UInt8](repeating: 1, count: 100_000)
        queue.add(first, readings: 1)
        #expect(queue.send(atMost: 1000) { min($0.count, 600) })
        for _ in 0..<100 { queue.add([UInt8](repeating: 2, count: 50_000), readings: 1) }
        queue.dropReadings()
        var rest = 0
        while queue.send(
            atMost: 65_536,
            { buffer in
                rest += buffer.count { $0 == 1 }
                return buffer.count
            })
        {}
        #expect(rest == first.count - 600)
    }

    @Test("The track history is decimated and keeps its first and last position")
    func track() {
        var track = TrackHistory()
        for index in 0..<100_000 { track.add(withUnsafeBytes(of: UInt32(index)) { Array($0) }) }
        let indices = track.frames.map { frame in frame.reversed().reduce(0) { $0 << 8 | Int($1) } }
        #expect(indices.count <= TrackHistory.limit + 1 && indices.count >= TrackHistory.limit / 2)
        #expect(indices.first == 0 && indices.last == 99_999)
        #expect(indices == indices.sorted())
    }

    @Test(
        "The security policy permits the origin of a tile URL, and invalid URLs are refused",
        arguments: [
            ("https://tile.example/{z}/{x}/{y}.png", "https://tile.example"),
            ("http://127.0.0.1:8080/{z}/{x}/{y}.png", "http://127.0.0.1:8080"),
            ("https://{s}.tile.example/{z}/{x}/{y}.png?key=1", "https://*.tile.example"),
            ("javascript:alert(1)", nil), ("tile.example/{z}", nil), ("https://", nil), ("https://a;script-src *", nil),
            ("https://{z}.example/", nil), ("https://a, b/", nil), ("https://user@a/", nil), ("https://a'b/", nil),
        ])
    func tiles(_ url: String, _ origin: String?) {
        #expect(DashboardOptions.Tiles(url: url, attribution: "")?.origin == origin)
    }

    // Entry 1 is a client of 127.0.0.1:2947 and entry 0 is gpsd's end of that connection. Entry 2 has ended
    // (TIME_WAIT), and entry 3 is connected to another port.
    @Test("The clients of a port are read from the kernel's table of sockets")
    func sockets() {
        let table = """
              sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
               0: 0100007F:0B83 0100007F:D431 01 00000000:00000000 00:00000000 00000000     0        0 111 1 0 20 4 30 10 -1
               1: 0100007F:D431 0100007F:0B83 01 00000000:00000000 00:00000000 00000000  1000        0 222 1 0 20 4 30 10 -1
               2: 0100007F:D432 0100007F:0B83 06 00000000:00000000 03:00000AE1 00000000     0        0 0 3 0
               3: 0100007F:D433 0100007F:0050 01 00000000:00000000 00:00000000 00000000  1000        0 333 1 0 20 4 30 10 -1
            """
        #expect(ServiceClients.sockets(table, port: 2947) == [222: 1000])
    }

    @Test("The process of a client is found by its connection")
    func client() throws {
        // A listener and a connection to it, both in this process. The process counts as a client unless it is excluded
        // as the caller.
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        let other = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer {
            close(listener)
            close(other)
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                bind(listener, generic, length) + listen(listener, 1) + getsockname(listener, generic, &length)
                    + connect(other, generic, length)
            }
        }
        try #require(result == 0)
        let port = UInt16(bigEndian: address.sin_port)
        #expect(ServiceClients(port: port, own: -1).clients.map(\.pid) == [getpid()])
        #expect(ServiceClients(port: port).clients.isEmpty)
    }
}
