// SPDX-License-Identifier: Apache-2.0

/// Rejects requests from other sites, based on three headers: Host reveals DNS rebinding, Origin reveals requests sent
/// by other sites, and Sec-Fetch-Site reveals that another site embeds this server's resources.
struct OriginValidator: Sendable {
    private let authorities: [String]

    init(port: UInt16) {
        let hosts = ["127.0.0.1", "localhost", "[::1]"]
        // Browsers omit port 80, the default for HTTP.
        authorities = hosts.map { "\($0):\(port)" } + (port == 80 ? hosts : [])
    }

    func rejection(of request: HTTPRequest) -> HTTPResponse? {
        guard let host = request.value("host") else {
            return HTTPResponse(.badRequest, "The request must have exactly one Host header.")
        }
        guard authorities.contains(host.lowercased()) else {
            return HTTPResponse(.forbidden, "This server accepts only requests to 127.0.0.1 and localhost.")
        }
        if request.hasHeader("origin") {
            // The origin must match the requested host, because localhost and 127.0.0.1 are different origins.
            guard request.value("origin")?.lowercased() == "http://\(host.lowercased())" else {
                return HTTPResponse(.forbidden, "Requests from other origins are not allowed.")
            }
        }
        let isForeign = ["cross-site", "same-site"].contains(request.value("sec-fetch-site") ?? "")
        if isForeign, request.value("sec-fetch-mode") != "navigate" || request.value("sec-fetch-dest") != "document" {
            return HTTPResponse(.forbidden, "Requests from other sites are not allowed.")
        }
        guard request.method == "GET" || request.method == "HEAD" else {
            var response = HTTPResponse(.notAllowed)
            response.headers = [("Allow", "GET, HEAD")]
            return response
        }
        if request.hasHeader("transfer-encoding")
            || request.hasHeader("content-length") && request.value("content-length") != "0"
        {
            return HTTPResponse(.contentTooLarge, "Requests must not have content.")
        }
        return nil
    }
}

/// The token that authorizes a page's commands.
package struct DashboardToken: Sendable {
    package let text: String

    package init() {
        var generator = SystemRandomNumberGenerator()
        text = (0..<2).map { _ in
            let digits = String(generator.next() as UInt64, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }

    /// Compares two tokens. If their lengths are equal, the comparison takes constant time, so timing does not reveal
    /// how many characters match.
    package func matches(_ other: String) -> Bool {
        let (expected, given) = (Array(text.utf8), Array(other.utf8))
        guard expected.count == given.count else { return false }
        var difference: UInt8 = 0
        for index in expected.indices { difference |= expected[index] ^ given[index] }
        return difference == 0
    }
}
