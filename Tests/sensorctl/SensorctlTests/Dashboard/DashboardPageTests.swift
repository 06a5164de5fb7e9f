// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import JSONBytes
import Synchronization
import SystemCalls
import TestSupport
import Testing

@testable import Dashboard

@Suite("Messages between the dashboard's server and its pages", .waiting)
struct DashboardPageTests {
    @Test("A new page receives the last minute, the track and the latest states in order")
    func history() throws {
        let dashboard = try TestDashboard()
        for index in 0..<8000 { dashboard.feed.add(1, at: Double(index) / 100, SIMD4(Float(index), 0, 0, 0)) }
        for index in 0..<3 {
            dashboard.feed.publish(DashboardMessage("location", .track) { $0.member("t", index) })
            dashboard.feed.publish(DashboardMessage("regions", .state) { $0.member("number", index) })
        }
        dashboard.feed.publish(DashboardMessage("playback", .state) { $0.member("playing", true) })
        dashboard.feed.set(now: 79.99)
        let page = try PageClient(dashboard.port)
        var types: [String] = []
        var times: [Double] = []
        var firstValues: [Float] = []
        let ready = try page.message("ready") { frame in
            switch frame {
            case .text(let text): types.append(try PageClient.object(text)["type"] as? String ?? "")
            case .binary(let bytes):
                let readings = try PageClient.readings(bytes, axes: 3)
                #expect(readings.channel == 1)
                times += readings.times
                firstValues += readings.values.map { $0[0] }
                types.append("readings")
            default: break
            }
        }
        #expect(ready["t"] as? Double == 79.99)
        #expect(
            types == ["hello", "playback"] + [String](repeating: "readings", count: 7) + [
                "location", "location", "location", "regions",
            ])
        // 60 s at 100 Hz, including the readings at both ends.
        #expect(times.count == 6001)
        #expect(firstValues == (1999...7999).map(Float.init))
        #expect(zip(times, 1999...7999).allSatisfy { abs($0 - Double($1) / 100) < 1e-5 })
    }

    @Test("Two pages receive the same readings, each reading once")
    func twoPages() throws {
        let dashboard = try TestDashboard()
        let pages = try (0..<2).map { _ in try PageClient(dashboard.port) }
        for page in pages { _ = try page.message("ready") }
        try DashboardAttackTests.wait(for: "both") { dashboard.server.counts.pages == 2 }
        for index in 0..<500 { dashboard.feed.add(0, at: Double(index) / 100, SIMD4(Float(index), -1, .nan, 0)) }
        for page in pages {
            var values: [[Float]] = []
            while values.count < 500 {
                guard case .binary(let bytes) = try page.frame() else { continue }
                values += try PageClient.readings(bytes, axes: 3).values
            }
            #expect(values.map { $0[0] } == (0..<500).map(Float.init))
            #expect(values.allSatisfy { $0[1] == -1 && $0[2].isNaN })
        }
    }

    @Test("A channel sends at most one frame per interval")
    func pace() throws {
        let dashboard = try TestDashboard { $0.flushInterval = 0.05 }
        let page = try dashboard.readyPage()
        try DashboardAttackTests.wait(for: "it is there") { dashboard.server.counts.pages == 1 }
        let start = LiveClock().now
        var (sent, received, frames) = (0, 0, 0)
        while LiveClock().now.seconds(since: start) < 0.6 {
            dashboard.feed.add(0, at: Double(sent) / 1000, SIMD4(repeating: 0))
            sent += 1
            usleep(1000)
        }
        let seconds = LiveClock().now.seconds(since: start)
        while received < sent {
            guard case .binary(let bytes) = try page.frame() else { continue }
            received += try PageClient.readings(bytes, axes: 3).times.count
            frames += 1
        }
        #expect(frames <= Int(seconds / 0.05) + 2)
    }

    @Test("A gap in the readings breaks the line and is reported")
    func gap() throws {
        let dashboard = try TestDashboard()
        let page = try dashboard.readyPage()
        try DashboardAttackTests.wait(for: "it is there") { dashboard.server.counts.pages == 1 }
        for time in [0, 0.01, 0.02, 0.03, 2.03, 2.04] { dashboard.feed.add(0, at: time, SIMD4(1, 1, 1, 0)) }
        var (values, gaps): ([[Float]], [[String: Any]]) = ([], [])
        while values.count < 7 || gaps.isEmpty {
            switch try page.frame() {
            case .binary(let bytes): values += try PageClient.readings(bytes, axes: 3).values
            case .text(let text): gaps.append(try PageClient.object(text))
            default: break
            }
        }
        let gap = try #require(gaps.first)
        #expect(gaps.count == 1 && gap["type"] as? String == "gap")
        #expect(gap["channel"] as? Int == 0)
        #expect(gap["t"] as? Double == 0.03)
        #expect(abs((gap["seconds"] as? Double ?? 0) - 2) < 1e-9)
        #expect(values.map { $0[0].isNaN } == [false, false, false, false, true, false, false])
    }

    @Test("After a seek, pages receive the history before the new time and nothing from the old time")
    func newPlace() throws {
        let dashboard = try TestDashboard()
        let page = try dashboard.readyPage()
        try DashboardAttackTests.wait(for: "it is there") { dashboard.server.counts.pages == 1 }
        dashboard.feed.add(0, at: 500, SIMD4(500, 0, 0, 0))
        dashboard.feed.publish(DashboardMessage("location", .track) { $0.member("t", 500) })
        dashboard.feed.beginHistoryReplay()
        dashboard.feed.add(0, at: 9, SIMD4(9, 0, 0, 0))
        dashboard.feed.publish(DashboardMessage("location", .track) { $0.member("t", 9) })
        dashboard.feed.endHistoryReplay(at: 10)
        _ = try page.message("clear")
        var (values, times): ([Float], [Int]) = ([], [])
        let ready = try page.message("ready") { frame in
            switch frame {
            case .binary(let bytes): values += try PageClient.readings(bytes, axes: 3).values.map { $0[0] }
            case .text(let text):
                let object = try PageClient.object(text)
                if object["type"] as? String == "location" { times.append(object["t"] as? Int ?? -1) }
            default: break
            }
        }
        #expect(ready["t"] as? Double == 10)
        #expect(values == [9])
        #expect(times == [9])
    }

    @Test("A new page receives the recent messages; after a seek, those before the new time")
    func recent() throws {
        let dashboard = try TestDashboard()
        func send(_ number: Int) {
            dashboard.feed.publish(DashboardMessage("traffic", .recent) { $0.member("t", number) })
        }
        func numbers(_ page: PageClient) throws -> [Int] {
            var numbers: [Int] = []
            _ = try page.message("ready") { frame in
                guard case .text(let text) = frame, case let object = try PageClient.object(text),
                    object["type"] as? String == "traffic"
                else { return }
                numbers.append(object["t"] as? Int ?? -1)
            }
            return numbers
        }
        for number in 0..<1000 { send(number) }
        let page = try PageClient(dashboard.port)
        #expect(try numbers(page) == Array(800..<1000))
        try DashboardAttackTests.wait(for: "it is there") { dashboard.server.counts.pages == 1 }
        send(1000)
        #expect(try page.message("traffic")["t"] as? Int == 1000)
        dashboard.feed.beginHistoryReplay()
        for number in 5...7 { send(number) }
        dashboard.feed.endHistoryReplay(at: 8)
        #expect(try numbers(page) == [5, 6, 7])
        #expect(try numbers(try PageClient(dashboard.port)) == [5, 6, 7])
    }

    @Test("A one-time message is delivered even between a seek and the next frame")
    func messagesAfterSeek() throws {
        let dashboard = try TestDashboard()
        let page = try dashboard.readyPage()
        try DashboardAttackTests.wait(for: "it is there") { dashboard.server.counts.pages == 1 }
        dashboard.feed.beginHistoryReplay()
        dashboard.feed.endHistoryReplay(at: 8)
        dashboard.feed.publish(DashboardMessage("log", .transient) { $0.member("t", 8) })
        _ = try page.message("ready")
        #expect(try page.message("log")["t"] as? Int == 8)
    }

    // MARK: Commands

    @Test(
        "A command without a token string is refused",
        arguments: ["", #""token":null,"#, #""token":7,"#, #""token":[],"#, #""token":true,"#, #""Token":"TOKEN","#])
    func missingToken(_ member: String) throws {
        let received = Mutex(0)
        let dashboard = try TestDashboard(handler: { _, _ in received.withLock { $0 += 1 } })
        let page = try dashboard.readyPage()
        let member = member.replacingOccurrences(of: "TOKEN", with: dashboard.token)
        try page.send(text: #"{"id":3,\#(member)"do":"pause"}"#)
        _ = try page.message("refused")
        #expect(received.withLock { $0 } == 0)
    }

    @Test(
        "A command with a wrong token is refused and not executed",
        arguments: [
            "", "0", "TOKEN0", "XOKEN", String(repeating: "f", count: 32),
        ])
    func wrongToken(_ token: String) throws {
        let received = Mutex(0)
        let dashboard = try TestDashboard(handler: { _, _ in received.withLock { $0 += 1 } })
        let own = dashboard.token
        let token = token.replacingOccurrences(of: "TOKEN", with: own).replacingOccurrences(
            of: "XOKEN", with: "x" + own.dropFirst())
        let page = try PageClient(dashboard.port)
        let answer = try page.command(#""do":"pause""#, token: token)
        #expect(answer["type"] as? String == "refused")
        #expect((answer["why"] as? String)?.contains("token") == true)
        #expect(received.withLock { $0 } == 0)
    }

    @Test("Each token consists of 128 random bits")
    func tokens() {
        let tokens = Set((0..<100).map { _ in DashboardToken().text })
        #expect(tokens.count == 100)
        #expect(tokens.allSatisfy { $0.count == 32 && $0.allSatisfy(\.isHexDigit) })
    }

    @Test("The token appears in no message, header or page")
    func tokenIsNotDisclosed() throws {
        let dashboard = try TestDashboard()
        let page = try PageClient(dashboard.port)
        var texts = ""
        _ = try page.message("ready") { if case .text(let text) = $0 { texts += text } }
        #expect(texts.contains(#""session""#))
        #expect(!texts.contains(dashboard.token))
        let (_, headers, body) = try dashboard.get("/")
        #expect(!"\(headers)\(String(decoding: body, as: UTF8.self))".contains(dashboard.token))
    }

    @Test("A read-only dashboard refuses commands even with the right token")
    func readOnly() throws {
        let received = Mutex(0)
        let dashboard = try TestDashboard {
            $0.isReadOnly = true
            $0.units = "nautical"
        } handler: { _, _ in
            received.withLock { $0 += 1 }
        }
        let page = try PageClient(dashboard.port, token: dashboard.token)
        let hello = try page.message("hello")
        #expect(hello["readOnly"] as? Bool == true && hello["units"] as? String == "nautical")
        #expect(try page.command(#""do":"pause""#)["type"] as? String == "refused")
        #expect(received.withLock { $0 } == 0)
    }

    @Test(
        "Valid commands are parsed, and invalid commands are refused",
        arguments: [
            (#""do":"play""#, .play),
            (#""do":"step""#, .step(1)),
            (#""do":"step","count":3"#, .step(3)),
            (#""do":"step","by":0.5"#, .advance(0.5)),
            (#""do":"seek","t":12.5"#, .seek(12.5)),
            (#""do":"speed","value":10"#, .speed(10)),
            (#""do":"loop","on":true"#, .loop(true)),
            (#""do":"fault","fault":"nofix","on":false"#, .fault("nofix", isOn: false)),
            (#""do":"doctor""#, .doctor),
            (
                #""do":"region","add":{"id":"home","latitude":48,"longitude":11.5,"radius":100}"#,
                .addRegion(DashboardRegion(name: "home", latitude: 48, longitude: 11.5, radius: 100))
            ),
            (#""do":"region","remove":"home""#, .removeRegion("home")),
            (#""do":"seek""#, nil),
            (#""do":"seek","t":-1"#, nil),
            (#""do":"seek","t":"now""#, nil),
            (#""do":"seek","t":NaN"#, nil),
            (#""do":"speed","value":1000"#, nil),
            (#""do":"step","count":1e300"#, nil),
            (#""do":"fault","fault":"nofix""#, nil),
            (#""do":"region","add":{"id":"","latitude":48,"longitude":11.5,"radius":100}"#, nil),
            (#""do":"region","add":{"id":"x","latitude":91,"longitude":11.5,"radius":100}"#, nil),
            (#""do":"shutdown""#, nil),
            (#""to":"play""#, nil),
        ] as [(String, PageCommand.Action?)])
    func commands(_ members: String, _ action: PageCommand.Action?) throws {
        let received = Mutex<[PageCommand.Action]>([])
        let dashboard = try TestDashboard { _ in
        } handler: { feed, command in
            received.withLock { $0.append(command.action) }
            feed.respond(to: command.page, with: DashboardMessage("done", .transient) { $0.member("id", command.id) })
        }
        let page = try PageClient(dashboard.port, token: dashboard.token)
        #expect(try page.command(members)["type"] as? String == (action == nil ? "refused" : "done"))
        #expect(received.withLock { $0 } == (action.map { [$0] } ?? []))
    }

    @Test(
        "Text that is not a JSON object is refused, and the page stays connected",
        arguments: [
            "", "[]", "{", "{\"id\":1,}", String(repeating: "[", count: 4000), "{\"id\":\"\u{0}\"}", "null",
        ])
    func nonsense(_ text: String) throws {
        let dashboard = try TestDashboard()
        let page = try dashboard.readyPage(token: dashboard.token)
        try page.send(text: text)
        #expect(try page.message("refused")["id"] as? Int == 0)
        #expect(try page.command(#""do":"play""#)["type"] as? String == "done")
    }

    @Test("A stopped server closes its pages with status 1001")
    func end() throws {
        let dashboard = try TestDashboard()
        let page = try dashboard.readyPage()
        dashboard.server.stop()
        #expect(try page.frame() == .close(1001))
    }
}
