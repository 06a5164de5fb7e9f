// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import Testing

@testable import GPSDSimulator

@Suite("Watch policies of gpsd clients")
struct PolicyTests {
    private static let header = GPSDFixture.drive(0)[0]

    private func trace(_ reports: [String]) -> [String] { [Self.header] + reports.map { #"{"t":0,"gpsd":\#($0)}"# } }

    private static let two = [GPSDFixture.fix(0, device: "/dev/a"), GPSDFixture.fix(1, device: "/dev/b")]

    @Test("A client can watch one of several receivers")
    func oneReceiver() throws {
        let fixture = try GPSDFixture(trace(Self.two)) { $0.start = .firstWatcher }
        let client = try fixture.connect()
        client.send(#"?WATCH={"json":true,"device":"/dev/b"};"#)
        let lines = client.lines()
        #expect(lines[1].components(separatedBy: "\"path\"").count == 3)
        #expect(lines.filter { $0.hasPrefix(#"{"class":"TPV""#) } == [Self.two[1]])
    }

    @Test("POLL returns only the last reports of each watched receiver")
    func poll() throws {
        let sky = #"{"class":"SKY","device":"/dev/b","hdop":1.00,"nSat":0,"uSat":0}"#
        let noise = #"{"class":"GST","device":"/dev/a","rms":1.000}"#
        let fixture = try GPSDFixture(trace(Self.two + [sky, noise, GPSDFixture.fix(2, device: "/dev/a")]))
        let client = try fixture.connect()
        client.send(#"?WATCH={"json":true};"#)
        _ = client.read()
        client.send("?POLL;")
        let poll =
            #"{"class":"POLL","time":"2026-01-01T00:00:00.000Z","active":2,"tpv":["#
            + GPSDFixture.fix(2, device: "/dev/a") + "," + Self.two[1] + "],\"gst\":[" + noise
            + #",{"class":"GST","device":"/dev/b"}],"sky":[{"class":"SKY","device":"/dev/a"},"# + sky + "]}"
        #expect(client.lines() == [poll])
    }

    @Test("PPS reports go to clients with JSON or pps, and TOFF reports only to clients with pps")
    func pulses() throws {
        let pps =
            #"{"class":"PPS","device":"/dev/a","real_sec":1,"real_nsec":0,"clock_sec":1,"clock_nsec":0,"precision":-20}"#
        let toff = #"{"class":"TOFF","device":"/dev/a","real_sec":1,"real_nsec":0,"clock_sec":1,"clock_nsec":0}"#
        let fixture = try GPSDFixture(trace([pps, toff, pps])) { $0.start = .firstWatcher }
        let json = try fixture.connect()
        let raw = try fixture.connect()
        let quiet = try fixture.connect()
        quiet.send(#"?WATCH={"pps":false};"#)
        json.send(#"?WATCH={"enable":false,"json":true};"#)
        raw.send(#"?WATCH={"enable":false,"nmea":true,"pps":true};"#)
        for client in [json, raw, quiet] { _ = client.read() }
        // The clients watch at the same time, because the first watcher starts playback.
        _ = json
        json.sendWithoutServing(#"?WATCH={};"#)
        raw.sendWithoutServing(#"?WATCH={"pps":true};"#)
        fixture.serve()
        #expect(json.kinds().filter { ["PPS", "TOFF"].contains($0) } == ["PPS", "PPS"])
        #expect(raw.kinds().filter { ["PPS", "TOFF"].contains($0) } == ["PPS", "TOFF", "PPS"])
        #expect(quiet.kinds().isEmpty)
    }

    /// Found by fuzzing: the client received PPS reports only while another client had JSON enabled.
    @Test("A lone client with pps but without JSON receives PPS reports")
    func pulsesAlone() throws {
        let pps = #"{"class":"PPS","device":"/dev/a","real_sec":1,"real_nsec":0,"clock_sec":1,"clock_nsec":0}"#
        let fixture = try GPSDFixture(trace([pps])) { $0.start = .firstWatcher }
        let client = try fixture.connect()
        client.send(#"?WATCH={"enable":true,"json":false,"raw":2,"pps":true};"#)
        #expect(client.kinds().filter { $0 == "PPS" } == ["PPS"])
    }

    @Test("AIS type 24 parts arrive separately with split24 and combined without it")
    func split24() throws {
        let parts = ["A", "B", "AB"].map {
            #"{"class":"AIS","device":"/dev/a","type":24,"scaled":true,"part":"\#($0)"}"#
        }
        for (isSplit, expected) in [(true, Array(parts[..<2])), (false, [parts[2]])] {
            let fixture = try GPSDFixture(trace(parts))
            let client = try fixture.connect()
            client.send(#"?WATCH={"json":true,"split24":\#(isSplit)};"#)
            #expect(client.lines().filter { $0.contains("AIS") } == expected)
        }
    }

    @Test("gpsd's timing fields are sent only with the timing policy")
    func timing() throws {
        let report =
            #"{"class":"TPV","device":"/dev/a","mode":3,"lat":48.1,"rtime":1711195200.5,"pps":1,"sor":0.1,"chars":90,"sats":9,"week":2306,"tow":1.5,"rollovers":2,"eph":3.000}"#
        let plain = #"{"class":"TPV","device":"/dev/a","mode":3,"lat":48.1,"eph":3.000}"#
        for (isWanted, expected) in [(true, report), (false, plain)] {
            let fixture = try GPSDFixture(trace([report]))
            let client = try fixture.connect()
            client.send(#"?WATCH={"json":true,"timing":\#(isWanted)};"#)
            #expect(client.lines().last == expected)
        }
    }

    @Test("nmea and raw clients receive recorded sentences; raw 1 gets binary data as hex, raw 2 as bytes")
    func sentences() throws {
        let lines = [
            Self.header, #"{"t":0,"gpsdText":"$GPGGA,1*00"}"#, #"{"t":0,"gpsdText":"!AIVDM,1"}"#,
            #"{"t":0,"gpsdHex":"b56201ff"}"#, #"{"t":0,"gpsd":\#(GPSDFixture.fix(0))}"#,
        ]
        let ends = Array("\r\n".utf8)
        let text = Array("$GPGGA,1*00\r\n!AIVDM,1\r\n".utf8)
        for (policy, expected) in [
            (#"{"nmea":true}"#, text), (#"{"raw":1}"#, text + Array("b56201ff\r\n".utf8)),
            (#"{"raw":2}"#, text + [0xB5, 0x62, 0x01, 0xFF] + ends),
        ] {
            let fixture = try GPSDFixture(lines)
            let client = try fixture.connect()
            _ = client.read()
            client.send("?WATCH={\"enable\":false}")
            _ = client.read()
            client.send("?WATCH=\(policy)")
            let all = try #require(client.read())
            #expect(Array(all.suffix(expected.count)) == expected, "\(policy)")
        }
    }

    @Test("Reports are converted to NMEA if the trace has no sentences")
    func madeSentences() throws {
        let fixture = try GPSDFixture(GPSDFixture.drive(2))
        let client = try fixture.connect()
        client.send(#"?WATCH={"nmea":true};"#)
        let sentences = client.lines().filter { $0.hasPrefix("$") }
        // 48° north, 11° 30′ east.
        #expect(
            sentences.contains { $0.contains("GGA,120000.") && $0.contains(",4800.0000") && $0.contains(",01130.0000") }
        )
        #expect(sentences.contains { $0.contains("RMC,120000.") && $0.contains(",230324,") })
        for sentence in sentences {
            let parts = sentence.dropFirst().components(separatedBy: "*")
            #expect(parts.count == 2)
            #expect(String(format: "%02X", parts[0].utf8.reduce(UInt8(0)) { $0 ^ $1 }) == parts[1])
        }
    }

    @Test("Receivers appear, are identified and disappear as in the trace")
    func hotPlug() throws {
        let device =
            #"{"class":"DEVICE","path":"/dev/b","driver":"u-blox","activated":"2024-03-23T12:00:01.000Z","flags":1,"native":1,"bps":9600,"parity":"N","stopbits":1,"cycle":1.00}"#
        let lines = [
            Self.header, #"{"t":0,"gpsd":\#(GPSDFixture.fix(0, device: "/dev/a"))}"#, #"{"t":1,"gpsd":\#(device)}"#,
            #"{"t":2,"gpsd":\#(GPSDFixture.fix(2, device: "/dev/b"))}"#,
            #"{"t":3,"gpsd":{"class":"DEVICE","path":"/dev/b","activated":0}}"#,
            #"{"t":4,"gpsd":\#(GPSDFixture.fix(4, device: "/dev/b"))}"#,
        ]
        let fixture = try GPSDFixture(lines)
        let client = try fixture.connect()
        client.send(#"?WATCH={"json":true};"#)
        #expect(client.lines()[1].contains("/dev/a"))
        fixture.pass(2.5)
        let received = client.lines()
        #expect(received.count == 2)
        #expect(
            received[0].hasPrefix(
                #"{"class":"DEVICE","path":"/dev/b","driver":"u-blox","activated":"2026-01-01T00:00:00.000Z""#))
        client.send("?DEVICES;")
        #expect(client.lines()[0].contains("/dev/b"))
        fixture.pass(2)
        #expect(client.lines() == [#"{"class":"DEVICE","path":"/dev/b","activated":0}"#])
        client.send("?DEVICES;")
        #expect(!client.lines()[0].contains("/dev/b"))
    }

    @Test("gpsd's own messages in the recording are not replayed, except for the greeting")
    func serverLines() throws {
        let version = #"{"class":"VERSION","release":"3.25","rev":"3.25","proto_major":3,"proto_minor":15}"#
        let fixture = try GPSDFixture([
            version,
            #"{"class":"DEVICES","devices":[{"class":"DEVICE","path":"/dev/a","driver":"SiRF","activated":"2024-03-23T12:00:00.000Z"}]}"#,
            #"{"class":"WATCH","enable":true,"json":true,"nmea":false,"raw":0,"scaled":false,"timing":false,"split24":false,"pps":false}"#,
            GPSDFixture.fix(0, device: "/dev/a"),
        ])
        let client = try fixture.connect()
        #expect(client.lines() == [version])
        client.send(#"?WATCH={"json":true};"#)
        fixture.pass(1)
        let lines = client.lines()
        #expect(lines.count == 3)
        #expect(lines[0].contains("SiRF"))
        #expect(lines[2] == GPSDFixture.fix(0, device: "/dev/a"))
    }
}
