// SPDX-License-Identifier: Apache-2.0

/// The WebSocket handshake (RFC 6455, section 4.2).
enum WebSocketHandshake {
    private static let version = "13"

    /// Returns the value of Sec-WebSocket-Accept; nil if the request is not a valid handshake.
    static func acceptance(of request: HTTPRequest) -> String? {
        guard request.method == "GET", request.isVersion11, request.header("websocket", contains: "upgrade"),
            request.header("upgrade", contains: "connection"), request.value("sec-websocket-version") == version,
            let key = request.value("sec-websocket-key"), isKey(key)
        else { return nil }
        return Base64.text(SHA1.hash(Array("\(key)258EAFA5-E914-47DA-95CA-C5AB0DC85B11".utf8)))
    }

    static func response(_ acceptance: String) -> [UInt8] {
        Array(
            """
            HTTP/1.1 101 Switching Protocols\r
            Upgrade: websocket\r
            Connection: Upgrade\r
            Sec-WebSocket-Accept: \(acceptance)\r
            \r

            """.utf8)
    }

    /// The response to requests that are not a handshake.
    static var refusal: HTTPResponse {
        var response = HTTPResponse(.upgradeRequired, "Readings are sent through a WebSocket.")
        response.headers = [("Upgrade", "websocket"), ("Sec-WebSocket-Version", version)]
        return response
    }

    /// True if the key is 16 bytes in Base64.
    private static func isKey(_ key: String) -> Bool {
        let letters = Array(key.utf8)
        guard letters.count == 24, letters[22] == UInt8(ascii: "="), letters[23] == UInt8(ascii: "=") else {
            return false
        }
        return letters[..<22].allSatisfy { letter in
            switch letter {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"):
                true
            default: false
            }
        }
    }
}
