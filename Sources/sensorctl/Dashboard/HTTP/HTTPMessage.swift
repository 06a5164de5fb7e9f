// SPDX-License-Identifier: Apache-2.0

/// The request line and headers of an HTTP request. The parser is strict and rejects malformed input.
struct HTTPRequest: Equatable {
    /// The maximum size of the request line and headers, in bytes.
    static let limit = 8192
    static let headerLimit = 64

    enum Parsed: Equatable {
        case incomplete
        case request(HTTPRequest, length: Int)
        case invalid(HTTPStatus)
    }

    var method: String
    var path: String
    /// The query without the question mark, or an empty string if there is no query.
    var query = ""
    var isVersion11: Bool
    /// The headers in their original order, with names in lower case.
    var headers: [(name: String, value: String)]

    static func == (left: HTTPRequest, right: HTTPRequest) -> Bool {
        left.method == right.method && left.path == right.path && left.isVersion11 == right.isVersion11
            && left.headers.map { "\($0):\($1)" } == right.headers.map { "\($0):\($1)" }
    }

    /// Returns the value of a header, or nil if the header is missing or occurs more than once.
    func value(_ name: String) -> String? {
        let values = headers.filter { $0.name == name }
        return values.count == 1 ? values[0].value : nil
    }

    func hasHeader(_ name: String) -> Bool { headers.contains { $0.name == name } }

    /// Returns true if a comma-separated header, such as Connection, contains the token.
    func contains(_ token: String, inHeader name: String) -> Bool {
        headers.contains { header in
            header.name == name
                && header.value.split(separator: ",").contains { Self.trimmed($0).lowercased() == token }
        }
    }

    var keepsAlive: Bool {
        isVersion11 ? !contains("close", inHeader: "connection") : contains("keep-alive", inHeader: "connection")
    }

    static func parse(_ bytes: ArraySlice<UInt8>) -> Parsed {
        guard let end = bytes.prefix(limit).firstRange(of: Array("\r\n\r\n".utf8))?.upperBound else {
            return bytes.count >= limit ? .invalid(.headTooLarge) : .incomplete
        }
        var lines: [String] = []
        // A CR or LF on its own does not end a line. It is rejected below as a control character.
        for line in bytes[..<(end - 4)].split(separator: Array("\r\n".utf8), omittingEmptySubsequences: false) {
            // Control characters are rejected, because programs interpret them in different ways.
            guard line.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 9 }),
                let text = String(validating: line, as: UTF8.self)
            else { return .invalid(.badRequest) }
            lines.append(text)
        }
        guard let first = lines.first else { return .invalid(.badRequest) }
        guard lines.count <= headerLimit + 1 else { return .invalid(.headTooLarge) }
        let words = first.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 3, !words[0].isEmpty, words[1].hasPrefix("/"), ["HTTP/1.1", "HTTP/1.0"].contains(words[2])
        else { return .invalid(.badRequest) }
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

    private static func isNameCharacter(_ byte: UInt8) -> Bool {
        byte.isAlphanumeric || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
    }

    private static func trimmed(_ text: Substring) -> String {
        var text = text
        while text.first == " " || text.first == "\t" { text.removeFirst() }
        while text.last == " " || text.last == "\t" { text.removeLast() }
        return String(text)
    }
}

struct HTTPStatus: Hashable, Sendable {
    let code: Int
    let reason: String

    static let ok = HTTPStatus(code: 200, reason: "OK")
    static let badRequest = HTTPStatus(code: 400, reason: "Bad Request")
    static let forbidden = HTTPStatus(code: 403, reason: "Forbidden")
    static let notFound = HTTPStatus(code: 404, reason: "Not Found")
    static let notAllowed = HTTPStatus(code: 405, reason: "Method Not Allowed")
    static let contentTooLarge = HTTPStatus(code: 413, reason: "Content Too Large")
    static let upgradeRequired = HTTPStatus(code: 426, reason: "Upgrade Required")
    static let headTooLarge = HTTPStatus(code: 431, reason: "Request Header Fields Too Large")
    static let unavailable = HTTPStatus(code: 503, reason: "Service Unavailable")
}

struct HTTPResponse {
    var status: HTTPStatus
    var type = "text/plain; charset=utf-8"
    var body: [UInt8] = []
    var headers: [(name: String, value: String)] = []

    init(_ status: HTTPStatus, _ text: String? = nil) {
        self.status = status
        body = Array("\(text ?? status.reason)\n".utf8)
    }

    init(type: String, body: [UInt8]) {
        status = .ok
        (self.type, self.body) = (type, body)
    }

    /// - Parameter hasBody: False for HEAD requests.
    func bytes(policy: String, hasBody: Bool, keepsAlive: Bool) -> [UInt8] {
        var text = "HTTP/1.1 \(status.code) \(status.reason)\r\n"
        let fields: [(name: String, value: String)] = [
            ("Content-Type", type), ("Content-Length", "\(body.count)"),
            // Disables caching, because the page changes from version to version, and live data becomes stale
            // immediately.
            ("Cache-Control", "no-store"), ("Content-Security-Policy", policy), ("X-Content-Type-Options", "nosniff"),
            ("Referrer-Policy", "no-referrer"), ("Cross-Origin-Opener-Policy", "same-origin"),
            ("Cross-Origin-Resource-Policy", "same-origin"), ("Connection", keepsAlive ? "keep-alive" : "close"),
        ]
        for (name, value) in fields + headers { text += "\(name): \(value)\r\n" }
        return Array("\(text)\r\n".utf8) + (hasBody ? body : [])
    }
}

extension UInt8 {
    var isAlphanumeric: Bool {
        (0x30...0x39).contains(self) || (0x41...0x5A).contains(self) || (0x61...0x7A).contains(self)
    }
}
