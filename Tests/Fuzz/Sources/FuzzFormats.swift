// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import SimulatedDevice
import Trace
import TraceFormats

// Recordings of other programs. A parsed recording is a trace that is read without warnings.

/// Reads the input as a recording of any detected format, as umockdev files, and as expected callbacks.
func fuzzFormats(_ input: UnsafeBufferPointer<UInt8>) {
    let input = [UInt8](input)
    if let file = try? RecordingFile.read(input, name: "fuzz"), file.trace.format == .native, file.format != .trace {
        check(file.trace)
    }
    if let expected = try? ExpectedCallbacks(bytes: input, name: "fuzz") {
        var comparison = CallbackComparison(expected)
        while (try? comparison.compare(Array(#"{"a":1,"b":[0,0,0,1],"c":"2026-05-01T10:00:00Z"}"#.utf8))) == true {}
        _ = try? comparison.finish()
        precondition(comparison.difference.map { !$0.description.isEmpty } ?? true)
    }
    for name in ["fuzz.script", "fuzz.umockdev"] {
        if let file = try? RecordingFile.read(input, name: name), file.format == .umockdev { check(file.trace) }
    }
}

/// The input is a receiver's log, which is read with and without sentences that lack a checksum.
func fuzzNMEA(_ input: UnsafeBufferPointer<UInt8>) {
    let input = [UInt8](input)
    for isChecked in [true, false] {
        let builder = TraceBuilder(name: "fuzz")
        var options = NMEALogOptions()
        options.allowsMissingChecksum = !isChecked
        if (try? NMEALog.read(input, name: "fuzz", options: options, to: builder)) != nil,
            let file = try? builder.file()
        {
            check(file)
        }
    }
}

/// The input is an MCAP file without the magic bytes at its beginning.
func fuzzMCAP(_ input: UnsafeBufferPointer<UInt8>) {
    let magic: [UInt8] = [0x89, 0x4d, 0x43, 0x41, 0x50, 0x30, 0x0d, 0x0a]
    if let file = try? RecordingFile.read(magic + input, name: "fuzz") { check(file.trace) }
}

/// The first byte selects the meaning of the rest: a table with one of several column maps, a table of a phone app, or
/// a column map.
func fuzzTables(_ input: UnsafeBufferPointer<UInt8>) {
    guard let choice = input.first else { return }
    let input = Array(input.dropFirst())
    let parts = ["TotalAcceleration.csv", "Location.csv", "WatchLocation.csv", "Battery.csv", "Metadata.csv"]
    switch Int(choice) % 16 {
    case let place where place < maps.count: check { try Recording(table: input, name: "fuzz", columns: maps[place]) }
    case 8: check { try Recording(phyphox: ["Raw Data.csv": input], name: "fuzz") }
    case 9: check { try Recording(phyphox: ["Barometer.csv": barometer, "meta/time.csv": input], name: "fuzz") }
    case let place where (10..<15).contains(place):
        check { try Recording(sensorLogger: ["Gyroscope.csv": gyroscope, parts[place - 10]: input], name: "fuzz") }
    default: _ = try? CSVColumnMap(String(decoding: input, as: UTF8.self))
    }
}

/// Valid tables, which accompany a table with any contents.
private let barometer = [UInt8]("\"Time (s)\",\"X (hPa)\"\n0,1000\n7.5,1001\n".utf8)
private let gyroscope = [UInt8]("time,z,y,x\n1700000000000000000,1,2,3\n".utf8)

/// Column maps for the contents of the seeds, by name and by number.
private let maps = [
    "time=t,accel.x=ax:-g,accel.y=ay,accel.z=az,lat=lat,lon=lon,speed=v:km/h,mode=m,sats=n,decimal=comma",
    "header=no,separator=semicolon,time=#1:iso,gyro.x=#2,gyro.y=#3,gyro.z=#4:deg/s,lat=#5:e7,lon=#6",
    "header=no,period=0.5,skip=1,mag.x=#1,mag.y=#2,mag.z=#3,pressure=#4:hPa",
].compactMap { try? CSVColumnMap($0) }

/// A parsed recording becomes a trace that is read without warnings.
private func check(_ read: () throws -> Recording) {
    if let recording = try? read(), let trace = try? recording.trace(named: "fuzz") { check(trace) }
}

private func check(_ trace: TraceFile) {
    trace.bytes.withUnsafeBytes { bytes in
        var cursor = TraceCursor(trace)
        var last: Int64 = 0
        while let record = cursor.next(bytes) {
            precondition(record.time.map { $0 >= last } ?? true)
            last = record.time ?? last
        }
        precondition(cursor.warningCount == 0)
    }
}
