// SPDX-License-Identifier: Apache-2.0

import SimulatedDevice
import Testing

/// A program that imports only `SimulatedDevice` can read and play traces.
@Suite struct OneImportTests {
    @Test func aTraceIsPlayedWithOneImport() async throws {
        let text = """
            {"format":"device-services-trace","version":1,"start":{"utc":"2026-01-31T12:00:00Z","boot":0}}
            {"t":1.5,"gpsd":{"class":"TPV","mode":3,"lat":52.5,"lon":13.4}}

            """
        let trace = try TraceFile(bytes: [UInt8](text.utf8), name: "one import")
        let device = SimulatedDevice(trace)
        let start = device.wallTime
        try await device.play()
        #expect(device.wallTime != start)
        #expect(device.warnings.isEmpty)
    }
}
