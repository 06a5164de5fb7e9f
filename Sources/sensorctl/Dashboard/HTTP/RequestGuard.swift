// SPDX-License-Identifier: Apache-2.0

/// Lets in what comes from the page itself, and nothing that another page of the same browser sends.
///
/// A name of another site that leads to this machine (DNS rebinding) is found by Host; a foreign page by Origin, and by
/// Sec-Fetch-Site where it loads something into itself.
struct RequestGuard: Sendable {
    private let authorities: [String]

    /// - Parameter port: the one that the server listens on.
    init(port: UInt16) {
        let hosts = ["127.0.0.1", "localhost", "[::1]"]
        // A browser leaves out the port that is http's own.
        authorities = hosts.map { "\($0):\(port)" } + (port == 80 ? hosts : [])
    }

    /// Why the request is refused; nil for one that may be answered.
    func refusal(of request: HTTPRequest) -> HTTPResponse? {
        guard let host = request.value("host") else {
            return HTTPResponse(.badRequest, "One Host has to be named.")
        }
        guard authorities.contains(host.lowercased()) else {
            return HTTPResponse(.forbidden, "This server is 127.0.0.1 and nobody else.")
        }
        if request.has("origin") {
            // Of the very host that was asked: localhost and 127.0.0.1 are two origins.
            guard request.value("origin")?.lowercased() == "http://\(host.lowercased())" else {
                return HTTPResponse(.forbidden, "Pages of other origins get nothing.")
            }
        }
        let isForeign = ["cross-site", "same-site"].contains(request.value("sec-fetch-site") ?? "")
        if isForeign, request.value("sec-fetch-mode") != "navigate" || request.value("sec-fetch-dest") != "document" {
            return HTTPResponse(.forbidden, "Pages of other sites get nothing.")
        }
        guard request.method == "GET" || request.method == "HEAD" else {
            var response = HTTPResponse(.notAllowed)
            response.headers = [("Allow", "GET, HEAD")]
            return response
        }
        if request.has("transfer-encoding") || request.has("content-length") && request.value("content-length") != "0" {
            return HTTPResponse(.contentTooLarge, "A request has no content here.")
        }
        return nil
    }
}

/// The word that commands are given with.
package struct DashboardToken: Sendable {
    package let text: String

    /// 128 bits of chance from the system.
    package init() {
        var generator = SystemRandomNumberGenerator()
        text = (0..<2).map { _ in
            let digits = String(generator.next() as UInt64, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }

    /// True for the same word. It takes as long for each word of that length, so that time tells nothing of how many
    /// letters were right.
    package func matches(_ other: String) -> Bool {
        let (own, given) = (Array(text.utf8), Array(other.utf8))
        guard own.count == given.count else { return false }
        var difference: UInt8 = 0
        for index in own.indices { difference |= own[index] ^ given[index] }
        return difference == 0
    }
}
