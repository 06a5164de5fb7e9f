// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import GPSDProtocol
import GPSDSource
import Synchronization
import Testing

extension ContractSuite {
    @Suite("Delivered gpsd reports", .serialized)
    struct ReportTests {
        @Test("Reports without a fix, a position or a time are delivered as such", arguments: clients)
        func withoutFix(client: PositionSourceAddress.Client) throws {
            let reports = try received(client, reports: 5) { peer in
                peer.send(#"{"class":"TPV","device":"/dev/a","mode":1}"#)
                peer.send(#"{"class":"TPV","device":"/dev/a","mode":0,"lat":1,"lon":2}"#)
                peer.send(#"{"class":"TPV","device":"/dev/a","mode":3,"lat":nan,"lon":nan}"#)
                peer.send(#"{"class":"TPV","device":"/dev/a","mode":2}"#)
                peer.send(Lines.fix(5, device: "/dev/a"))
            }.reports
            #expect(reports.map(\.hasFix) == [false, false, false, false, true])
            #expect(reports.allSatisfy { $0.time == nil })
            #expect(reports[2].latitude.isNaN)
            #expect(reports[0].speed.isNaN)
        }

        @Test("Altitudes above the ellipsoid and above sea level are kept apart", arguments: clients)
        func altitudes(client: PositionSourceAddress.Client) throws {
            let reports = try received(client, reports: 2) { peer in
                peer.send(Lines.fix(1, more: #","altHAE":120.5,"altMSL":72.25,"alt":72.25,"geoidSep":48.25"#))
                peer.send(Lines.fix(2, more: #","alt":10.5"#))
            }.reports
            #expect(reports[0].altitudeHAE == 120.5)
            #expect(reports[0].altitudeMSL == 72.25)
            #expect(reports[0].geoidSeparation == 48.25)
            #expect(reports[1].altitudeHAE.isNaN)
            #expect(reports[1].altitudeMSL.isNaN)
            #expect(reports[1].altitudeUndefined == 10.5)
        }

        @Test("A sky report that has only dilutions keeps the previous satellites", arguments: clients)
        func dilutionsOnly(client: PositionSourceAddress.Client) throws {
            let skies = try received(client, reports: 1) { peer in
                peer.send(Lines.sky(satellites: 12))
                peer.send(#"{"class":"SKY","device":"/dev/ttyACM0","hdop":1.5,"vdop":2.5}"#)
                peer.send(Lines.fix(1))
            }.skies
            #expect(skies.map { $0.satellites?.count } == [12, 12])
            #expect(skies.map(\.hdop) == [0.9, 1.5])
        }

        @Test("Unknown classes and malformed lines are skipped", arguments: clients)
        func hostile(client: PositionSourceAddress.Client) throws {
            let hostile = Lines.hostile
            let events = try received(client, reports: 2 * hostile.count + 1) { peer in
                for (index, line) in hostile.enumerated() {
                    peer.send(Lines.fix(index % 90))
                    peer.send(line + [10])
                }
                for _ in 0...hostile.count { peer.send(Lines.fix(89)) }
            }
            let fixes = events.reports.filter { $0.hasFix && $0.receiver == "/dev/ttyACM0" && $0.longitude == 7.5 }
            #expect(fixes.prefix(hostile.count).map { Int($0.latitude) } == hostile.indices.map { $0 % 90 })
            #expect(events.losses.isEmpty)
        }

        @Test("Week rollovers are only repaired on request, and reports are never reordered", arguments: clients)
        func weekRollover(client: PositionSourceAddress.Client) throws {
            // 1024 weeks are 7,168 days, so a receiver with an unhandled rollover reports 2019-04-12 as 1999-08-27.
            let wall = try #require(ISO8601DateFormatter().date(from: "2019-04-12T12:00:00Z")).timeIntervalSince1970
            let early = try #require(ISO8601DateFormatter().date(from: "1999-08-27T11:59:00Z")).timeIntervalSince1970
            for repairs in [false, true] {
                let server = try FakeGPSD { peer in
                    peer.begin()
                    peer.send(
                        #"{"class":"TPV","device":"a","time":"1999-08-27T11:59:00.000Z","mode":3,"lat":1,"lon":1}"#)
                    peer.send(
                        #"{"class":"TPV","device":"a","time":"1999-08-27T11:58:00.000Z","mode":3,"lat":2,"lon":1}"#)
                    peer.send(
                        #"{"class":"TPV","device":"a","time":"1740-01-01T00:00:00.000Z","mode":3,"lat":3,"lon":1}"#)
                    peer.waitUntilClosed()
                }
                let clock = JumpClock(wallTime: WallTime(seconds: wall))
                let source = source(client, port: server.port, clock: clock, repairsWeekRollover: repairs)
                let log = EventLog()
                let subscription = source.subscribe(PositionRequest(includesAllReports: true), receive: log.receive)
                #expect(log.waitForReports(3))
                let times = log.events.reports.compactMap(\.time?.seconds)
                try #require(times.count == 3)
                #expect(log.events.numbers == [1, 2, 3])
                let expected = repairs ? early + 7_168 * 86_400 : early
                #expect(times[0] == expected)
                #expect(times[1] == expected - 60)
                subscription.cancel()
                server.stop()
            }
        }

        @Test("Reports with the same time are coalesced into one epoch", arguments: clients)
        func coalesces(client: PositionSourceAddress.Client) throws {
            let events = try received(client, reports: 3, request: PositionRequest()) { peer in
                for row in [(1, 10), (2, 10), (3, 20), (4, 20), (5, 20), (6, 30), (7, 30)] {
                    peer.send(Lines.fix(row.0, tenths: row.1))
                }
            }
            // The first report of a receiver is delivered immediately, because the source does not know yet that more
            // reports of the epoch follow. The last epoch is delivered when the input is idle.
            #expect(events.numbers == [1, 5, 7])
        }

        @Test("Reports of several receivers are not mixed, and a subscriber can select a receiver", arguments: clients)
        func receivers(client: PositionSourceAddress.Client) throws {
            let script: @Sendable (FakePeer) -> Void = { peer in
                for number in 0..<20 {
                    peer.send(Lines.fix(10 + number, tenths: 10 * number, device: "/dev/a", more: #","eph":5"#))
                    peer.send(Lines.fix(50 + number, tenths: 10 * number, device: "/dev/b", more: #","eph":5"#))
                }
            }
            let best = try received(client, reports: 20, by: script)
            #expect(best.numbers == Array(10..<30))
            let named = try received(client, reports: 20, request: PositionRequest(receiver: "/dev/b"), by: script)
            #expect(named.numbers == Array(50..<70))
        }

        @Test("Long lines are reassembled from pieces of any size", arguments: clients, [1, 2, 7, 4_096, 65_536])
        func truncatedAnywhere(client: PositionSourceAddress.Client, chunks: Int) throws {
            let padding = String(repeating: "x", count: chunks < 100 ? 1_000 : 64 * 1_024)
            var stream: [UInt8] = []
            for number in 1...5 {
                stream += [UInt8](Lines.fix(number, more: #","note":"\#(padding)""#).utf8) + [13, 10]
            }
            stream += [UInt8](Lines.fix(6).utf8) + [10, 13, 10, 10]
            stream += [UInt8](Lines.fix(7).utf8) + [13, 10]
            let events = try received(client, reports: 7) { [stream] peer in peer.send(stream, chunks: chunks) }
            #expect(events.numbers == [1, 2, 3, 4, 5, 6, 7])
        }

        @Test("Eight receivers and 200 satellites are delivered", arguments: clients)
        func many(client: PositionSourceAddress.Client) throws {
            let paths = (0..<8).map { "/dev/ttyACM\($0)" }
            let server = try FakeGPSD { peer in
                peer.begin(devices: paths)
                peer.send(Lines.sky(satellites: 200))
                for path in paths { peer.send(Lines.fix(1, device: path)) }
                peer.send(Lines.fix(2))
                peer.waitUntilClosed()
            }
            let source = source(client, port: server.port)
            let log = EventLog()
            let subscription = source.subscribe(PositionRequest(), receive: log.receive)
            #expect(log.wait { $0.numbers.last == 2 })
            #expect(log.events.receivers.first?.map(\.path) == paths)
            #expect(source.receivers.map(\.path) == paths)
            let satellites = try #require(log.events.skies.first?.satellites)
            #expect(satellites.count == 200)
            #expect(satellites.map(\.number) == (1...200).map(Int32.init))
            #expect(satellites.count { $0.isUsed } == 100)
            subscription.cancel()
            server.stop()
        }

        @Test("Lines and raw bytes are delivered as they were sent", arguments: clients)
        func lines(client: PositionSourceAddress.Client) throws {
            let line = Lines.fix(1, more: #","future":{"a":[1]}"#)
            let request = PositionRequest(includesAllReports: true, includesLines: true, includesRawBytes: true)
            let events = try received(client, reports: 1, request: request) { $0.send(line) }
            let lines = events.compactMap {
                if case .line(let bytes, _) = $0 { String(decoding: bytes, as: UTF8.self) } else { nil }
            }
            #expect(lines.first == FakePeer.greeting)
            #expect(lines.last == line)
            #expect(events.reports.first?.raw == [UInt8](line.utf8))
        }

        @Test("The source counts connections, positions and lines", arguments: clients)
        func statistics(client: PositionSourceAddress.Client) throws {
            let server = try FakeGPSD { peer in
                peer.begin()
                peer.send("garbage")
                for number in 0..<10 { peer.send(Lines.fix(number)) }
                peer.waitUntilClosed()
            }
            let source = source(client, port: server.port)
            let log = EventLog()
            let subscription = source.subscribe(PositionRequest(), receive: log.receive)
            #expect(log.waitForReports(10))
            server.stop()
            #expect(log.waitForLosses(1))
            subscription.cancel()
            #expect(source.statistics.connections == 1)
            #expect(source.statistics.positions == 10)
            #expect(source.statistics.malformedLines == 1)
            // VERSION, DEVICES, WATCH, the malformed line and ten fixes.
            #expect(source.statistics.lines == 14)
        }

        @Test("The 1st, 10th and 100th unreadable lines are logged", arguments: clients)
        func unreadableLines(client: PositionSourceAddress.Client) throws {
            let server = try FakeGPSD { peer in
                peer.begin()
                peer.send("$GPGGA,1\u{1b}[2J")
                for number in 2...150 { peer.send(#"{"class":"TPV","lat":\#(number)"#) }
                peer.send(Lines.fix(0))
                peer.waitUntilClosed()
            }
            let warnings = Mutex<[String]>([])
            let source = source(client, port: server.port) { warning in warnings.withLock { $0.append(warning) } }
            let log = EventLog()
            let subscription = source.subscribe(PositionRequest(), receive: log.receive)
            #expect(log.waitForReports(1))
            subscription.cancel()
            server.stop()
            let address = PositionSourceAddress(client: client, host: "127.0.0.1", port: server.port)
            let warned = warnings.withLock { $0 }
            let start = "gpsd at \(address) sent a line that cannot be read and is skipped."
            #expect(warned.first?.hasPrefix(start) == true)
            #expect(warned.first?.hasSuffix(#": "$GPGGA,1\u{1B}[2J""#) == true)
            #expect(warned.last?.contains(" has sent 100 lines that cannot be read and are skipped.") == true)
            #expect(warned.last?.hasSuffix(#": "{\"class\":\"TPV\",\"lat\":100""#) == true)
            #expect(warned.count == 3)
        }

        @Test("A line above the limit is logged, and reconnecting does not restart the count", arguments: clients)
        func overlongLines(client: PositionSourceAddress.Client) throws {
            let server = try FakeGPSD { peer in
                peer.begin()
                peer.send(String(repeating: "x", count: (1 << 20) + 2))
                peer.send(Lines.fix(peer.number))
                guard peer.number < 3 else { return peer.waitUntilClosed() }
                peer.close()
            }
            let warnings = Mutex<[String]>([])
            let source = source(client, port: server.port) { warning in warnings.withLock { $0.append(warning) } }
            let log = EventLog()
            let subscription = source.subscribe(PositionRequest(), receive: log.receive)
            #expect(log.wait { $0.numbers.last == 3 })
            subscription.cancel()
            server.stop()
            let warned = warnings.withLock { $0 }
            #expect(warned.count == 1)
            #expect(warned.first?.hasSuffix("is skipped. The line is longer than 1 MiB.") == true)
        }
    }
}
