// SPDX-License-Identifier: Apache-2.0

import CoreLocation
import DeviceCore
import Foundation
import GPSDSource
import Testing

extension IntegrationTests {
    @Suite(
        "Recorded receivers through gpsfake and gpsd",
        .enabled(if: Tools.gpsd != nil, Tools.gpsdMissing),
        .enabled(if: Tools.gpsfake != nil && Tools.gpspipe != nil && Tools.python != nil, Tools.gpsfakeMissing))
    struct RecordedReceiverTests {
        static let logs: [String] =
            ((try? FileManager.default.contentsOfDirectory(atPath: Tools.traces.path)) ?? [])
            .filter { $0.hasSuffix(".log") }.sorted()

        @Test("Recorded logs are available")
        func hasLogs() {
            #expect(RecordedReceiverTests.logs.count >= 10)
        }

        @Test("Every fix reaches the delegate with gpsd's own values", arguments: logs)
        func deliversWhatGPSDReports(log: String) async throws {
            let start = Date()
            let fake = try GPSFake(log: Tools.traces.appendingPathComponent(log))
            try await fake.ready()
            let address = "127.0.0.1:\(fake.port)"
            let native = try Recorder("gpsd://\(address)", everyReport: true)
            let coalescing = try Recorder("gpsd://\(address)", everyReport: false, sharing: native)
            var recorders = [native]
            #if LibGPS
            let library = try Recorder("libgps://\(address)", everyReport: true)
            recorders.append(library)
            #endif
            // gpsd's own client records what gpsd reports.
            let gpspipe = try #require(Tools.gpspipe)
            let witness = try ChildProcess(gpspipe, ["-w", address])
            let steps = Journal<String>()
            var subscriptions: [Subscription] = []
            for (index, recorder) in recorders.enumerated() {
                subscriptions.append(
                    recorder.source.subscribe(PositionRequest()) { event in
                        guard case .receivers(let receivers) = event else { return }
                        steps.append("\(index) \(receivers.isEmpty ? "gone" : "there")")
                    })
                recorder.manager.startUpdatingLocation()
            }
            coalescing.manager.startUpdatingLocation()

            // After gpsd has listed the receiver to a client, the client misses no report.
            for index in recorders.indices {
                #expect(await steps.wait { $0.contains("\(index) there") })
            }
            #expect(await witness.lines.wait { $0.contains { $0.hasPrefix(#"{"class":"WATCH""#) } })
            fake.play()
            for index in recorders.indices {
                #expect(await steps.wait { $0.contains("\(index) gone") })
            }
            #expect(
                await witness.lines.wait { lines in
                    lines.contains { $0.hasPrefix(#"{"class":"DEVICE""#) && $0.contains(#""activated":0"#) }
                })

            let said = try ReportRow.rows(witness.lines.elements)
            let isSameRelease = witness.lines.elements.contains { $0.contains(#""release":"3.22""#) }
            var rows = said
            if isSameRelease {
                // The .chk files were made with this release of gpsd.
                let path = Tools.traces.appendingPathComponent(log + ".chk").path
                let text = String(decoding: try Data(contentsOf: URL(fileURLWithPath: path)), as: UTF8.self)
                rows = try ReportRow.rows(text.split(whereSeparator: \.isNewline).map(String.init))
                #expect(said.count == rows.count)
            }
            let fixes = rows.filter(\.isFix)
            for recorder in recorders {
                await recorder.settle(locations: fixes.count)
                recorder.manager.stopUpdatingLocation()
            }
            let period = start...Date()
            for recorder in recorders {
                #expect(recorder.locations.count == fixes.count, "\(recorder.device.name)")
                for (number, (location, row)) in zip(recorder.locations, fixes).enumerated() {
                    row.check(location, during: period, "\(recorder.device.name), fix \(number)")
                }
            }

            // gpsd's arrival timestamps reveal the epochs followed by a silence long enough for an early delivery.
            let groups = Epochs.expected(native.locations, rows: rows)
            await coalescing.settle(locations: groups.count)
            coalescing.manager.stopUpdatingLocation()
            #expect(coalescing.locations.count == groups.count)
            for (number, (location, candidates)) in zip(coalescing.locations, groups).enumerated() {
                // The row that the location was made from, if it is one of the candidates.
                let row = candidates.first { $0.matches(location) } ?? candidates[0]
                row.check(location, during: period, "epoch \(number)")
            }
            for recorder in recorders + [coalescing] { recorder.manager.delegate = nil }
            subscriptions.removeAll()
            await witness.kill()
            await fake.kill()
        }
    }
}
