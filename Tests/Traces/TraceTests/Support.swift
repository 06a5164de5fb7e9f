// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation

@testable import Trace

/// A record with a copy of its contents.
struct Found: Equatable {
    var time: Int64?
    var kind: TraceRecord.Kind
    var line: String
}

/// The records of a trace.
struct Reading {
    var file: TraceFile
    var records: [Found] = []
    var cursor: TraceCursor

    init(_ bytes: [UInt8], name: String = "test.trace") throws {
        file = try TraceFile(bytes: bytes, name: name)
        var cursor = TraceCursor(file)
        records = file.bytes.withUnsafeBytes { bytes in
            var records: [Found] = []
            while let record = cursor.next(bytes) {
                let line = String(decoding: record.line(in: bytes), as: UTF8.self)
                records.append(Found(time: record.time, kind: record.kind, line: line))
            }
            return records
        }
        self.cursor = cursor
    }

    init(_ text: String) throws {
        try self.init([UInt8](text.utf8))
    }

    var lines: [String] { records.map(\.line) }
    var times: [Int64?] { records.map(\.time) }
    var warnings: [TraceWarning] { cursor.warnings }
}

/// A temporary directory, removed when the object is released.
final class Folder {
    let path: String

    init() throws {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("trace-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        path = url.path
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    func file(_ name: String) -> String { path + "/" + name }

    func bytes(_ name: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(fileURLWithPath: file(name))))
    }

    /// Returns the sorted names of the entries in the directory, or in a directory inside it.
    func names(_ inner: String = "") -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: path + inner)) ?? []).sorted()
    }
}

let headerLine = #"{"format":"device-services-trace","version":1,"start":{"utc":"2026-11-21T03:39:22Z","boot":5.5}}"#
let tpv = #"{"class":"TPV","device":"/dev/ttyACM0","mode":3,"lat":48.1,"lon":11.5}"#
let sky = #"{"class":"SKY","satellites":[{"PRN":1,"used":true},{"PRN":2,"used":false}]}"#

extension TraceWriter {
    /// Writes a reading of a motion sensor. The default sensor ID is the name of the kind.
    func write(
        sample value: SIMD3<Double>, kind: SensorKind, sensor: SensorDescription.ID? = nil, stamp: Int64? = nil,
        at time: Int64
    ) throws(DeviceError) {
        try write(.sample(value, kind: kind, sensor: sensor ?? kind.rawValue, stamp: stamp), at: time)
    }
}
