// SPDX-License-Identifier: Apache-2.0

import CoreLocation
import DeviceCore
import Foundation
import SimulatedDevice
import Synchronization
import TestProgramApps
import TestSupport
import Testing
import Trace
import TraceFormats

extension IntegrationTests {
    @Suite("Programs from Apple's documents and a book")
    struct DocumentProgramTests {
        private static func trace(_ rows: [(second: Int, latitude: Double)]) throws -> TraceFile {
            let lines = rows.map { row in
                let time = String(format: "2026-05-01T10:%02d:%02d.000Z", row.second / 60, row.second % 60)
                return #"{"class":"TPV","mode":3,"time":"\#(time)","lat":\#(row.latitude),"lon":-11.5,"eph":5}"# + "\n"
            }
            return try TraceFile(bytes: Array(lines.joined().utf8), name: "drive")
        }

        @Test("Listing 8-7 prints one recent location of a played drive and stops")
        func listingPlays() throws {
            let now = Date()
            let start = WallTime(nanoseconds: Int64(now.timeIntervalSince1970) * 1_000_000_000)
            let trace = try DocumentProgramTests.trace([(0, 48.25), (1, 48.5), (2, 48.75)])
            let device = SimulatedDevice(trace, stamps: .rebased(to: start))
            let shown = Mutex<[String]>([])
            try device.use {
                let finder = LocationFinder()
                finder.show = { text in shown.withLock { $0.append(text) } }
                finder.startUpdates()
                try device.play()
            }
            #expect(shown.withLock { $0 } == ["latitude +48.250000, longitude -11.500000"])
        }

        @Test("Listing 8-7 skips old locations")
        func listingSkipsOldLocations() throws {
            let device = SimulatedDevice(try DocumentProgramTests.trace([(0, 48.25), (1, 48.5)]))
            let shown = Mutex<[String]>([])
            try device.use {
                let finder = LocationFinder()
                finder.show = { text in shown.withLock { $0.append(text) } }
                finder.startUpdates()
                try device.play()
            }
            #expect(shown.withLock { $0 } == [])
        }

        @Test(
            "Listings 8-8 and 8-9 show a rotation on a table in steps of 5° once the compass is trusted")
        func headingsPlay() throws {
            let file = Checkout.traces.appendingPathComponent("iio/spin-flat-90dps.csv")
            let device = SimulatedDevice(try RecordingFile.open(file.path).trace)
            let shown = Mutex<[String]>([])
            try device.use {
                let reader = HeadingReader()
                reader.show = { text in shown.withLock { $0.append(text) } }
                reader.startHeadingUpdates()
                try device.play()
            }
            let lines = shown.withLock { $0 }
            // Two rotations. The compass is trusted from the third quarter of the first on, so at least five quarters
            // remain.
            #expect(lines.count >= 450 / 6)
            let numbers = lines.map { $0.split(separator: " ").compactMap { Double($0) } }
            var fineSteps = 0
            for (former, latter) in zip(numbers, numbers.dropFirst()) {
                try #require(former.count == 3 && latter.count == 3)
                // A counterclockwise rotation of 90°/s is 0.9° from one reading to the next.
                let step = (former[0] - latter[0] + 360).truncatingRemainder(dividingBy: 360)
                #expect(step > 0 && step < 6.5, "\(former) and \(latter)")
                if step < 4.9 { fineSteps += 1 }
                // Without a position there is no true heading.
                #expect(latter[1] == -1)
                #expect(latter[2] > 0 && latter[2] < 45)
            }
            // A heading with half the uncertainty is delivered in between.
            #expect(fineSteps <= 4)
        }

        @Test("Listing 8-8 shows the course if no compass is available")
        func coursePlays() throws {
            let line =
                #"{"class":"TPV","mode":3,"time":"2026-05-01T10:00:00.000Z","lat":48.5,"lon":11.25,"eph":5,"track":271.5}"#
            let device = SimulatedDevice(try TraceFile(bytes: Array((line + "\n").utf8), name: "road"))
            let shown = Mutex<[String]>([])
            try device.use {
                let reader = HeadingReader()
                reader.show = { text in shown.withLock { $0.append(text) } }
                reader.startHeadingUpdates()
                try device.play()
            }
            #expect(shown.withLock { $0 } == ["no compass", "course 271.500"])
        }

        @Test("The book's program shows the locations and failures of a played drive in order")
        func bookPlays() throws {
            let lines = [
                #"{"class":"TPV","mode":3,"time":"2026-05-01T10:00:00.000Z","lat":48.5,"lon":11.25,"eph":5}"#,
                #"{"class":"TPV","mode":1,"time":"2026-05-01T10:00:01.000Z"}"#,
                #"{"class":"TPV","mode":3,"time":"2026-05-01T10:00:02.000Z","lat":48.75,"lon":11.25,"eph":6}"#,
            ]
            let text = lines.joined(separator: "\n") + "\n"
            let device = SimulatedDevice(try TraceFile(bytes: Array(text.utf8), name: "tunnel"))
            let shown = Mutex<[String]>([])
            try device.use {
                let controller = LocationViewController()
                controller.show = { text in shown.withLock { $0.append(text) } }
                controller.viewDidLoad()
                try device.play()
            }
            let all = shown.withLock { $0 }
            try #require(all.count == 3)
            #expect(all[0] == "Location: 48.5, 11.25 within 5.0 m")
            #expect(all[1].hasPrefix("Failed: "))
            #expect(all[2] == "Location: 48.75, 11.25 within 6.0 m")
        }

        @Test("Listing 8-7 prints one location from gpsd", .enabled(if: Tools.gpsd != nil, Tools.gpsdMissing))
        func listingRuns() async throws {
            let daemon = try GPSDaemon()
            let receiver = FedReceiver(port: try #require(daemon.receiverPort))
            receiver.begin(run: 9)
            try await daemon.start()
            let program = try ChildProcess(
                .apps, ["listing-8-7"], environment: ["DEVICE_SERVICES_GPSD": daemon.address("gpsd")])
            #expect(await program.wait() == .exited(0))
            _ = await program.lines.wait { !$0.isEmpty }
            #expect(program.lines.count == 1)
            #expect(program.lines.elements.first?.hasPrefix("latitude +9.0") == true)
            #expect(program.lines.elements.first?.hasSuffix("longitude +11.000000") == true)
            await daemon.kill()
        }

        @Test(
            "The book's program survives a restart of gpsd and shows the new location",
            .enabled(if: Tools.gpsd != nil, Tools.gpsdMissing))
        func bookRuns() async throws {
            let daemon = try GPSDaemon()
            let receiver = FedReceiver(port: try #require(daemon.receiverPort))
            receiver.begin(run: 2)
            try await daemon.start()
            let program = try ChildProcess(
                .apps, ["book-location"], environment: ["DEVICE_SERVICES_GPSD": daemon.address("gpsd")])
            #expect(await program.lines.wait { $0.contains { $0.hasPrefix("Location: 2.0") } })
            await daemon.kill()
            #expect(await program.lines.wait { $0.last?.hasPrefix("Failed: ") == true })
            receiver.begin(run: 4)
            try await daemon.start()
            #expect(await program.lines.wait { $0.last?.hasPrefix("Location: 4.0") == true })
            #expect(program.lines.elements.count { $0.hasPrefix("Failed: ") } == 1)
            await program.kill()
            await daemon.kill()
        }
    }
}
