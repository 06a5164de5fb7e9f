// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import Dashboard

@Suite("Access control of the dashboard's server", .waiting)
struct DashboardGuardTests {
    @Test("The page is served with restrictive security headers")
    func page() throws {
        let dashboard = try TestDashboard {
            $0.tiles = .init(url: "https://{s}.tile.example/{z}/{x}/{y}.png", attribution: "")
        }
        let (status, headers, body) = try dashboard.get("/")
        #expect(status == 200)
        #expect(headers["content-type"] == "text/html; charset=utf-8")
        #expect(
            headers["content-security-policy"]
                == "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; connect-src 'self'; img-src 'self' data: https://*.tile.example; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
        )
        #expect(headers["x-content-type-options"] == "nosniff")
        #expect(headers["referrer-policy"] == "no-referrer")
        #expect(headers["cross-origin-opener-policy"] == "same-origin")
        #expect(headers["cross-origin-resource-policy"] == "same-origin")
        #expect(headers["cache-control"] == "no-store")
        #expect(headers["access-control-allow-origin"] == nil)
        #expect(String(decoding: body, as: UTF8.self).lowercased().hasPrefix("<!doctype html>"))
    }

    @Test("An embedded file is identical to the file in the sources", arguments: PageFile.all.map(\.name))
    func embedded(name: String) throws {
        let path = Checkout.root.path + "/Sources/sensorctl/DashboardPage/page/" + name
        let file = try #require(PageFile.all.first { $0.name == name })
        #expect(
            file.bytes == [UInt8](try Data(contentsOf: URL(fileURLWithPath: path))), "Change the number in files.inc.")
    }

    @Test("Each file of the page is embedded in the program")
    func allEmbedded() throws {
        let folder = Checkout.root.path + "/Sources/sensorctl/DashboardPage/page"
        let names = try FileManager.default.contentsOfDirectory(atPath: folder)
        #expect(names.sorted() == PageFile.all.map(\.name).sorted())
    }

    @Test(
        "Requests with a foreign Host header are refused",
        arguments: [
            "evil.example", "evil.example:PORT", "127.0.0.1", "127.0.0.1:1", "127.0.0.1:PORT.evil.example",
            "localhost.:PORT",
            "0.0.0.0:PORT", "[::]:PORT", "127.0.0.1:0PORT", "user@127.0.0.1:PORT", "",
        ])
    func host(_ host: String) throws {
        let dashboard = try TestDashboard()
        let host = host.replacingOccurrences(of: "PORT", with: "\(dashboard.port)")
        for path in ["/", "/page/index.html", "/assets/leaflet/leaflet.js", "/live"] {
            let (status, _, body) = try dashboard.get(path, host: host)
            #expect(status == 403)
            #expect(!String(decoding: body, as: UTF8.self).contains("<"))
        }
        let (status, _, _) = try dashboard.ask(PageClient.handshake(dashboard.port, host: host))
        #expect(status == 403)
    }

    @Test("Loopback names are accepted as the Host", arguments: ["127.0.0.1", "localhost", "LOCALHOST", "[::1]"])
    func ownHost(_ name: String) throws {
        let dashboard = try TestDashboard()
        let (status, _, _) = try dashboard.get("/", host: "\(name):\(dashboard.port)")
        #expect(status == 200)
    }

    @Test("A request without exactly one Host header is refused")
    func hostOnce() throws {
        let dashboard = try TestDashboard()
        let own = "Host: 127.0.0.1:\(dashboard.port)"
        #expect(try dashboard.ask("GET / HTTP/1.1\r\n\r\n").status == 400)
        #expect(try dashboard.ask("GET / HTTP/1.0\r\n\r\n").status == 400)
        #expect(try dashboard.ask("GET / HTTP/1.1\r\n\(own)\r\nHost: evil.example\r\n\r\n").status == 400)
        #expect(try dashboard.ask("GET / HTTP/1.1\r\n\(own)\r\n\(own)\r\n\r\n").status == 400)
    }

    @Test(
        "Requests from other origins are refused",
        arguments: [
            "http://evil.example", "null", "https://127.0.0.1:PORT", "http://127.0.0.1",
            "http://127.0.0.1:PORT.evil.example",
            "http://localhost:PORT", "file://", "",
        ])
    func origin(_ origin: String) throws {
        let dashboard = try TestDashboard()
        let header = "Origin: " + origin.replacingOccurrences(of: "PORT", with: "\(dashboard.port)")
        for path in ["/", "/page/index.html"] { #expect(try dashboard.get(path, header).status == 403) }
        #expect(try dashboard.ask(PageClient.handshake(dashboard.port, headers: [header])).status == 403)
        #expect(dashboard.server.counts.pages == 0)
    }

    @Test("The page's own origin can open the WebSocket")
    func ownOrigin() throws {
        let dashboard = try TestDashboard()
        let page = try PageClient(dashboard.port, headers: ["Origin: http://127.0.0.1:\(dashboard.port)"])
        #expect(try page.message("hello")["mode"] as? String == "live")
    }

    @Test("Cross-site subresources and frames are refused, but links from other sites are not")
    func fetchMetadata() throws {
        let dashboard = try TestDashboard()
        #expect(
            try dashboard.get("/page/index.html", "Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: no-cors").status == 403
        )
        #expect(
            try dashboard.get("/", "Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: iframe")
                .status == 403)
        #expect(
            try dashboard.get("/", "Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: document")
                .status == 200)
        #expect(try dashboard.get("/", "Sec-Fetch-Site: none").status == 200)
    }

    @Test("Only GET and HEAD are allowed", arguments: ["POST", "PUT", "DELETE", "OPTIONS", "TRACE", "CONNECT", "get"])
    func methods(_ method: String) throws {
        let dashboard = try TestDashboard()
        let (status, headers, _) = try dashboard.ask(dashboard.request("/", method: method))
        #expect(status == 405)
        #expect(headers["allow"] == "GET, HEAD")
    }

    @Test("HEAD returns the headers of GET")
    func head() throws {
        let dashboard = try TestDashboard()
        let client = try TestClient(dashboard.port)
        let page = try dashboard.get("/")
        for _ in 0..<3 {
            // On one connection, a body would be parsed as the next response.
            let (status, headers, _) = try TestDashboard.answer(on: client, dashboard.request("/", method: "HEAD"))
            #expect(status == 200)
            #expect(headers == page.headers)
        }
        #expect(try dashboard.ask(dashboard.request("/nothing", method: "HEAD")).status == 404)
    }

    @Test(
        "Requests with a body are refused, whichever header declares it",
        arguments: [
            "Content-Length: 5", "Transfer-Encoding: chunked", "Content-Length: -1",
            "Content-Length: 0\r\nContent-Length: 5",
        ])
    func contents(_ header: String) throws {
        let dashboard = try TestDashboard()
        let client = try TestClient(dashboard.port)
        // The bytes of the body are not parsed as a second request.
        let smuggled = dashboard.request("/", [header]) + dashboard.request("/page/index.html")
        #expect(try TestDashboard.answer(on: client, smuggled).status == 413)
        #expect(client.isClosed())
    }

    @Test(
        "Paths outside the served files are not found",
        arguments: [
            "/../etc/passwd", "/page/../page/index.html", "/page/..%2findex.html", "/page//index.html",
            "/page/./index.html", "/page/", "/page", "/assets/../../../etc/passwd",
            "/assets/leaflet/../leaflet/leaflet.js", "/assets/leaflet", "/assets/leaflet/%6ceaflet.js",
            "/assets//leaflet/leaflet.js", "/assets/leaflet/out.js", "/assets/leaflet/in.js",
            "/assets/leaflet/.hidden.js", "/assets/leaflet/late.js", "/assets/leaflet/notes.txt",
            "/assets/outside/x.js",
            "/page/../../../../../../etc/passwd", "/page/secret.html", "/index.html", "//", "/page/index.html/",
        ])
    func paths(_ path: String) throws {
        let folder = try AssetFixture()
        let dashboard = try TestDashboard { $0.assets = AssetFolder(root: folder.path + "/js") }
        try folder.add("js/leaflet/late.js", "late")
        let (status, _, body) = try dashboard.get(path)
        #expect(status == 404)
        #expect(!String(decoding: body, as: UTF8.self).contains("secret"))
    }

    @Test("Library files found at the start are served, but not a symbolic link that replaces one")
    func assets() throws {
        let folder = try AssetFixture()
        let assets = AssetFolder(root: folder.path + "/js")
        let dashboard = try TestDashboard { $0.assets = assets }
        #expect(AssetFolder.Library.all.map(assets.contains) == [true, false])
        let (status, headers, body) = try dashboard.get("/assets/leaflet/leaflet.js?v=1")
        #expect((status, String(decoding: body, as: UTF8.self)) == (200, "leaflet"))
        #expect(headers["content-type"] == "text/javascript; charset=utf-8")
        #expect(try dashboard.get("/assets/leaflet/images/layers.png").headers["content-type"] == "image/png")
        try FileManager.default.removeItem(atPath: folder.path + "/js/leaflet/leaflet.js")
        try FileManager.default.createSymbolicLink(
            atPath: folder.path + "/js/leaflet/leaflet.js", withDestinationPath: folder.path + "/secret.js")
        #expect(try dashboard.get("/assets/leaflet/leaflet.js").status == 404)
    }
}

/// JavaScript libraries as a distribution installs them, next to files that must not be served.
final class AssetFixture {
    private let folder: TemporaryFolder
    var path: String { folder.path }

    init() throws {
        folder = try TemporaryFolder()
        for name in ["js/leaflet/images", "js/outside"] {
            try FileManager.default.createDirectory(atPath: "\(folder.path)/\(name)", withIntermediateDirectories: true)
        }
        for (name, text) in [
            ("js/leaflet/leaflet.js", "leaflet"), ("js/leaflet/leaflet.css", "css"),
            ("js/leaflet/images/layers.png", "png"),
            ("js/leaflet/.hidden.js", "secret"), ("js/leaflet/notes.txt", "secret"), ("js/outside/x.js", "secret"),
            ("secret.js", "secret"), ("secret.html", "secret"),
        ] { try add(name, text) }
        for (name, target) in [
            ("js/leaflet/out.js", "\(folder.path)/secret.js"), ("js/leaflet/in.js", "leaflet.js"),
            ("js/leaflet/away", folder.path),
        ] { try FileManager.default.createSymbolicLink(atPath: "\(folder.path)/\(name)", withDestinationPath: target) }
    }

    func add(_ name: String, _ text: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: "\(folder.path)/\(name)"))
    }
}
