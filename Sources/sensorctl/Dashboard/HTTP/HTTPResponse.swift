// SPDX-License-Identifier: Apache-2.0

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
    /// Headers in addition to those of every response.
    var headers: [(name: String, value: String)] = []

    init(_ status: HTTPStatus, _ text: String? = nil) {
        self.status = status
        body = Array("\(text ?? status.reason)\n".utf8)
    }

    init(type: String, body: [UInt8]) {
        status = .ok
        (self.type, self.body) = (type, body)
    }

    /// Returns the encoded response, without body to HEAD.
    func bytes(policy: String, hasBody: Bool, keepsAlive: Bool) -> [UInt8] {
        var text = "HTTP/1.1 \(status.code) \(status.reason)\r\n"
        let fields: [(name: String, value: String)] = [
            ("Content-Type", type), ("Content-Length", "\(body.count)"),
            // Caching is disabled: the page changes with the version, and live data is outdated immediately.
            ("Cache-Control", "no-store"), ("Content-Security-Policy", policy), ("X-Content-Type-Options", "nosniff"),
            ("Referrer-Policy", "no-referrer"), ("Cross-Origin-Opener-Policy", "same-origin"),
            ("Cross-Origin-Resource-Policy", "same-origin"), ("Connection", keepsAlive ? "keep-alive" : "close"),
        ]
        for (name, value) in fields + headers { text += "\(name): \(value)\r\n" }
        return Array("\(text)\r\n".utf8) + (hasBody ? body : [])
    }
}
