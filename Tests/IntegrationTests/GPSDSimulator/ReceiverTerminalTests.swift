// SPDX-License-Identifier: Apache-2.0

import Foundation
import GPSDSimulator
import TestSupport
import Testing
import Trace

extension IntegrationTests {
    /// A real gpsd reads the simulated receiver like a real one.
    @Suite(
        "gpsd with a simulated receiver on a pseudo-terminal",
        .enabled(if: Tools.gpsd != nil, Tools.gpsdMissing),
        .enabled(if: Tools.gpspipe != nil, Tools.gpsfakeMissing))
    struct ReceiverTerminalTests {
        private struct Fix {
            var time: String
            var latitude: Double
            var longitude: Double
            var altitude: Double
            var speed: Double
        }

        @Test("gpsd reports every position of the trace with the precision of NMEA sentences")
        func positions() async throws {
            // Fixes one second apart with known values, without sentences in the trace.
            var trace =
                #"{"format":"device-services-trace","version":1,"start":{"utc":"2026-03-23T12:00:00Z","boot":0}}"#
            var expected: [Fix] = []
            for second in 0..<41 {
                let fix = Fix(
                    time: String(format: "2026-03-23T12:00:%02d.000Z", second),
                    latitude: 48.1 + Double(second) * 0.000123457, longitude: -11.5 - Double(second) * 0.000234568,
                    altitude: 500 + Double(second) * 0.3, speed: 21.3 + Double(second) * 0.1)
                expected.append(fix)
                trace +=
                    "\n"
                    + #"{"t":\#(second),"gpsd":{"class":"TPV","device":"/dev/gps","mode":3,"time":"\#(fix.time)","lat":\#(fix.latitude),"lon":\#(fix.longitude),"altMSL":\#(fix.altitude),"geoidSep":47.5,"track":302.1,"speed":\#(fix.speed),"eph":4.0,"epv":8.0}}"#
            }
            var options = GPSDServerOptions()
            options.pace = .realTime(speed: 4)
            let receiver = ReceiverTerminal(
                try TraceFile(bytes: Array((trace + "\n").utf8), name: "drive"), options: options)
            let path = try receiver.start()
            let daemon = try GPSDaemon(receiver: path)
            // Connects as soon as gpsd listens, even if the test continues later.
            let connection = #"until "$0" -w "$1"; do sleep 0.1; done"#
            let witness = try ChildProcess(
                "/bin/sh", ["-c", connection, try #require(Tools.gpspipe), "127.0.0.1:\(daemon.port)"])
            try await daemon.start()
            // gpsd may report an epoch several times. By now the previous epoch is complete.
            let seen = await witness.lines.wait { lines in
                lines.contains { $0.contains("TPV") && $0.contains("12:00:39.000Z") && $0.contains("\"lat\"") }
            }
            #expect(seen, "\(receiver.sentenceCount) sentences; \(witness.lines.elements.suffix(3))")
            let rows = try ReportRow.rows(witness.lines.elements).filter(\.isFix)
            let first = try #require(rows.first?.time)
            let start = try #require(expected.firstIndex { $0.time == first })
            // gpsd needs some sentences to identify the receiver. After that, none may be missing.
            #expect(start <= 30)
            for fix in expected[start...38] {
                // If an epoch was reported several times, the last report has every field.
                let row = try #require(rows.last { $0.time == fix.time }, "\(fix.time)")
                #expect(row.number("mode") == 3, "\(fix.time)")
                // Five decimals of minutes, centimeters, and thousandths of a knot (1852 m per hour).
                for (key, value, tolerance) in [
                    ("lat", fix.latitude, 0.6e-5 / 60), ("lon", fix.longitude, 0.6e-5 / 60),
                    ("altMSL", fix.altitude, 0.006), ("speed", fix.speed, 0.0006 * 1852 / 3600 + 0.0006),
                ] {
                    #expect(abs((row.number(key) ?? .nan) - value) < tolerance, "\(key) at \(fix.time)")
                }
            }
            await witness.kill()
            await daemon.kill()
            // Checks an open terminal, because another terminal may get the same path.
            let program = try #require(PlainPort(terminal: path, flushes: false))
            #expect(!program.isHungUp)
            receiver.stop()
            #expect(program.hangsUp())
        }
    }
}
