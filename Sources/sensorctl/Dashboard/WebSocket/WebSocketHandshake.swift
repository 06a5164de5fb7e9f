// SPDX-License-Identifier: Apache-2.0

/// The WebSocket handshake (RFC 6455, section 4.2).
enum WebSocketHandshake {
    private static let version = "13"
    /// The GUID that RFC 6455 appends to the client's key.
    private static let keySuffix = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"

    /// Returns the value of Sec-WebSocket-Accept, or nil if the request is not a valid handshake.
    static func acceptance(of request: HTTPRequest) -> String? {
        guard request.method == "GET", request.isVersion11, request.contains("websocket", inHeader: "upgrade"),
            request.contains("upgrade", inHeader: "connection"), request.value("sec-websocket-version") == version,
            let key = request.value("sec-websocket-key"), isKey(key)
        else { return nil }
        return Base64.text(SHA1.hash(Array((key + keySuffix).utf8)))
    }

    static func response(_ acceptance: String) -> [UInt8] {
        // The text must end with an empty line, so keep the blank line before the closing quotation marks.
        Array(
            """
            HTTP/1.1 101 Switching Protocols\r
            Upgrade: websocket\r
            Connection: Upgrade\r
            Sec-WebSocket-Accept: \(acceptance)\r
            \r

            """.utf8)
    }

    static var refusal: HTTPResponse {
        var response = HTTPResponse(.upgradeRequired, "Readings are sent through a WebSocket.")
        response.headers = [("Upgrade", "websocket"), ("Sec-WebSocket-Version", version)]
        return response
    }

    private static func isKey(_ key: String) -> Bool {
        key.utf8.count == 24 && key.hasSuffix("==")
            && key.utf8.prefix(22).allSatisfy {
                $0.isAlphanumeric || $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "/")
            }
    }
}

/// SHA-1 (FIPS 180-4), which the WebSocket handshake requires. Not used for security.
enum SHA1 {
    static func hash(_ bytes: [UInt8]) -> [UInt8] {
        var state: [UInt32] = [0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476, 0xC3D2_E1F0]
        var padded = bytes + [0x80]
        padded += [UInt8](repeating: 0, count: (120 - padded.count % 64) % 64)
        let length = UInt64(bytes.count) * 8
        padded += (0..<8).map { UInt8(truncatingIfNeeded: length >> (56 - 8 * UInt64($0))) }
        for start in stride(from: 0, to: padded.count, by: 64) {
            processBlock(padded[start..<(start + 64)], into: &state)
        }
        return state.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> (24 - 8 * UInt32($0))) } }
    }

    private static func processBlock(_ block: ArraySlice<UInt8>, into state: inout [UInt32]) {
        var words = [UInt32](repeating: 0, count: 80)
        for (index, byte) in block.enumerated() { words[index / 4] = words[index / 4] << 8 | UInt32(byte) }
        for index in 16..<80 {
            words[index] = rotated(words[index - 3] ^ words[index - 8] ^ words[index - 14] ^ words[index - 16], 1)
        }
        var (a, b, c, d, e) = (state[0], state[1], state[2], state[3], state[4])
        for (index, word) in words.enumerated() {
            let (mixed, constant): (UInt32, UInt32) =
                switch index {
                case ..<20: (b & c | ~b & d, 0x5A82_7999)
                case ..<40: (b ^ c ^ d, 0x6ED9_EBA1)
                case ..<60: (b & c | b & d | c & d, 0x8F1B_BCDC)
                default: (b ^ c ^ d, 0xCA62_C1D6)
                }
            let next: UInt32 = rotated(a, 5) &+ mixed &+ e &+ constant &+ word
            (e, d, c, b, a) = (d, c, rotated(b, 30), a, next)
        }
        for (index, value) in [a, b, c, d, e].enumerated() { state[index] &+= value }
    }

    private static func rotated(_ word: UInt32, _ count: UInt32) -> UInt32 { word << count | word >> (32 - count) }
}

/// Base64 (RFC 4648) with padding.
package enum Base64 {
    private static let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    package static func text(_ bytes: some Collection<UInt8>) -> String {
        var text: [UInt8] = []
        var remaining = Array(bytes)[...]
        while !remaining.isEmpty {
            let chunk = remaining.prefix(3)
            remaining = remaining.dropFirst(3)
            var bits: UInt32 = 0
            for position in 0..<3 {
                bits = bits << 8 | (position < chunk.count ? UInt32(chunk[chunk.startIndex + position]) : 0)
            }
            for position in 0..<4 {
                let index = Int(bits >> (18 - 6 * UInt32(position)) & 63)
                text.append(position <= chunk.count ? letters[index] : UInt8(ascii: "="))
            }
        }
        return String(decoding: text, as: UTF8.self)
    }
}
