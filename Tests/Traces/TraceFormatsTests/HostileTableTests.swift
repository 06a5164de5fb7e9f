// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import TestSupport
import Testing
import Trace

@testable import TraceFormats

/// Hostile tables. Each one is read as a phyphox table, as Sensor Logger files and with a column map. The result is
/// either an error or a recording.
@Suite("Hostile tables")
struct HostileTableTests {
    private static let map = "time=time,lat=latitude,lon=longitude,speed=speed,gyro.x=x,gyro.y=y,gyro.z=z"

    /// Reads the bytes in each way, and returns the error messages.
    @discardableResult
    private func read(_ bytes: [UInt8]) throws -> [String] {
        var messages: [String] = []
        func attempt(_ body: () throws(DeviceError) -> Recording) {
            do throws(DeviceError) {
                let recording = try body()
                // The recording converts to a readable trace.
                let trace = try recording.trace(named: "t")
                #expect(trace.format == .native)
            } catch {
                #expect(error.message.utf8.count < 2000)
                messages.append(error.message)
            }
        }
        let map = try CSVColumnMap(Self.map)
        attempt { () throws(DeviceError) in try Recording(table: bytes, name: "t", columns: map) }
        attempt { () throws(DeviceError) in try Recording(phyphox: ["Raw Data.csv": bytes], name: "t") }
        attempt { () throws(DeviceError) in
            try Recording(phyphox: ["A.csv": [UInt8](Self.pressure.utf8), "meta/time.csv": bytes], name: "t")
        }
        for name in ["Gyroscope.csv", "Location.csv", "Battery.csv", "Metadata.csv"] {
            attempt { () throws(DeviceError) in
                try Recording(sensorLogger: [name: bytes], name: "t", options: .init(platform: .android))
            }
        }
        return messages
    }

    private static let pressure = "\"Time (s)\",\"Pressure (hPa)\"\n1,1000\n"
    private static let whole = """
        time,seconds_elapsed,x,y,z,latitude,longitude,altitude,speed,"Time (s)","Pressure (hPa)","Latitude (°)",event,batteryLevel
        1700000000000000000,0.5,1,2,3,50,6,100,5,0.5,1013.25,50,START,0.5
        1700000001000000000,1.5,1,2,3,50,6,100,5,1.5,1013.25,50,PAUSE,0.25

        """

    @Test("A table that is cut at any byte is read or rejected")
    func cut() throws {
        let bytes = [UInt8](Self.whole.utf8)
        for count in 0...bytes.count { try read(Array(bytes.prefix(count))) }
    }

    @Test("A table with one changed byte is read or rejected")
    func damaged() throws {
        let bytes = [UInt8](Self.whole.utf8)
        for offset in bytes.indices {
            for byte in [0, UInt8(ascii: "\""), 0xff] as [UInt8] {
                var damaged = bytes
                damaged[offset] = byte
                try read(damaged)
            }
        }
    }

    @Test("Long lines, many columns and unclosed quotes are errors")
    func large() throws {
        let size = Thoroughness.rounds(1 << 20, quick: 128 << 10)
        let long = [UInt8](repeating: UInt8(ascii: "a"), count: size)
        let commas = [UInt8](repeating: UInt8(ascii: ","), count: size)
        let header = [UInt8]("time,latitude,longitude,speed,x,y,z\n".utf8)
        for bytes in [
            long, commas, header + long, header + commas, [UInt8(ascii: "\"")] + long,
            header + [UInt8(ascii: "\"")] + long, [UInt8](repeating: 0, count: size),
            header + [UInt8](repeating: 0, count: size),
            [UInt8](repeating: UInt8(ascii: "\n"), count: size),
        ] {
            #expect(try read(bytes).count >= 6)
        }
        let map = try CSVColumnMap(Self.map)
        let error = #expect(throws: DeviceError.self) { try Recording(table: commas, name: "t", columns: map) }
        #expect(error?.message.contains("line 1: the row has more than 1024 cells") == true)
    }

    @Test(
        "Out-of-range numbers are read or rejected",
        arguments: [
            "1e308", "-1e308", "1e-400", "9223372036854775807", "-9223372036854775808", "1e999999999999", "0x10", "١٢",
            "9".padding(400), "9".padding(401), "1.5.5", "--1", "+", ".", "e5", "1e+", "inf", "-nan",
        ])
    func numbers(number: String) throws {
        let header = "time,latitude,longitude,speed,x,y,z\n"
        try read([UInt8]("\(header)\(number),50,6,5,1,2,3\n".utf8))
        try read([UInt8]("\(header)1,\(number),6,5,1,2,3\n".utf8))
        try read([UInt8]("\(header)1,50,6,\(number),\(number),2,3\n".utf8))
        try read([UInt8]("\"Time (s)\",\"Pressure (hPa)\"\n\(number),1000\n1,\(number)\n".utf8))
        try read([UInt8]("event,experiment time,system time\nSTART,\(number),\(number)\nSTART,1,\(number)\n".utf8))
    }
}

extension String {
    fileprivate func padding(_ count: Int) -> String { String(repeating: self, count: count) }
}
