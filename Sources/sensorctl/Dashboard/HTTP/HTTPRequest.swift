// SPDX-License-Identifier: Apache-2.0

/// The head of an HTTP request: the request line and the headers. The parser is strict and rejects malformed input.
struct HTTPRequest: Equatable {
    /// The maximum size of a request head, in bytes.
    static let limit = 8192
    static let headerLimit = 64

    enum Parsed: Equatable {
        case incomplete
        /// The request and its length in bytes.
        case request(HTTPRequest, length: Int)
        case invalid(HTTPStatus)
    }

    var method: String
    /// The path as sent, without the query.
    var path: String
    /// The query without the question mark; empty if there is none.
    var query = ""
    var isVersion11: Bool
    /// The headers in the order of the request, with names in lower case.
    var headers: [(name: String, value: String)]

    static func == (left: HTTPRequest, right: HTTPRequest) -> Bool {
        left.method == right.method && left.path == right.path && left.isVersion11 == right.isVersion11
            && left.headers.map { "\($0):\($1)" } == right.headers.map { "\($0):\($1)" }
    }

    /// Returns the value of a header; nil if it is missing or occurs more than once.
    func value(_ name: String) -> String? {
        let values = headers.filter { $0.name == name }
        return values.count == 1 ? values[0].value : nil
    }

    func hasHeader(_ name: String) -> Bool { headers.contains { $0.name == name } }

    /// True if a comma-separated header such as Connection contains the word.
    func header(_ word: String, contains name: String) -> Bool {
        headers.contains { header in
            header.name == name && header.value.split(separator: ",").contains { Self.trimmed($0).lowercased() == word }
        }
    }

    /// True if the connection stays open after the response.
    var keepsAlive: Bool {
        isVersion11 ? !header("close", contains: "connection") : header("keep-alive", contains: "connection")
    }

    static func parse(_ bytes: ArraySlice<UInt8>) -> Parsed {
        guard let end = headEnd(bytes) else { return bytes.count >= limit ? .invalid(.headTooLarge) : .incomplete }
        guard end - bytes.startIndex <= limit else { return .invalid(.headTooLarge) }
        var lines: [String] = []
        for line in Self.lines(of: bytes[..<(end - 4)]) {
            // Control characters might be interpreted differently by another program.
            guard line.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 9 }),
                let text = String(validating: line, as: UTF8.self)
            else { return .invalid(.badRequest) }
            lines.append(text)
        }
        guard let first = lines.first else { return .invalid(.badRequest) }
        guard lines.count <= headerLimit + 1 else { return .invalid(.headTooLarge) }
        let words = first.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 3, !words[0].isEmpty, words[1].hasPrefix("/") else { return .invalid(.badRequest) }
        guard words[2] == "HTTP/1.1" || words[2] == "HTTP/1.0" else { return .invalid(.badRequest) }
        var headers: [(name: String, value: String)] = []
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":"), colon > line.startIndex,
                line[..<colon].utf8.allSatisfy(isNameCharacter)
            else { return .invalid(.badRequest) }
            headers.append((line[..<colon].lowercased(), trimmed(line[line.index(after: colon)...])))
        }
        let path = words[1].prefix { $0 != "?" }
        var request = HTTPRequest(
            method: String(words[0]), path: String(path), isVersion11: words[2].hasSuffix("1"), headers: headers)
        request.query = String(words[1].dropFirst(path.count + 1))
        return .request(request, length: end - bytes.startIndex)
    }

    private static func headEnd(_ bytes: ArraySlice<UInt8>) -> Int? {
        var matched = 0
        let mark: [UInt8] = [13, 10, 13, 10]
        for (offset, byte) in bytes.prefix(limit).enumerated() {
            if byte == mark[matched] {
                matched += 1
                if matched == mark.count { return bytes.startIndex + offset + 1 }
            } else {
                matched = byte == 13 ? 1 : 0
            }
        }
        return nil
    }

    /// Splits the head at CR LF. A single CR or LF remains in its line, which is then rejected.
    private static func lines(of bytes: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
        var (lines, start, at) = ([ArraySlice<UInt8>](), bytes.startIndex, bytes.startIndex)
        while at < bytes.endIndex {
            let next = at + 1
            if bytes[at] == 13, next < bytes.endIndex, bytes[next] == 10 {
                lines.append(bytes[start..<at])
                start = next + 1
                at = start
            } else {
                at = next
            }
        }
        lines.append(bytes[start..<bytes.endIndex])
        return lines
    }

    private static func isNameCharacter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    private static func trimmed(_ text: Substring) -> String {
        var text = text
        while text.first == " " || text.first == "\t" { text.removeFirst() }
        while text.last == " " || text.last == "\t" { text.removeLast() }
        return String(text)
    }
}
