// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import TestSupport
import Testing
import Trace

@testable import TraceFormats

/// MCAP files for tests, and the Python programs that check them.
enum MCAPFiles {
    /// A trace with an event of every kind.
    static let text = """
        {"format":"device-services-trace","version":1,"start":{"utc":"2024-05-01T10:00:00.000000000Z","boot":100.0},"sensors":[{"id":"g","kind":"gyroscope"},{"id":"accelerometer","kind":"accelerometer"},{"id":"pressure","kind":"pressure"}]}
        {"t":0.000000000,"gpsd":{"class":"TPV","device":"/dev/a","mode":3,"time":"2024-05-01T10:00:00.000Z","lat":50.5,"lon":8.25,"altHAE":247.5,"altMSL":200,"epx":3,"epy":4,"epv":5,"eph":6,"track":90,"speed":10,"climb":-1}}
        {"t":0.250000000,"accelerometer":[0.1,0.2,9.8]}
        {"t":0.500000000,"gyroscope":[0.001,-0.002,0.0035],"sensor":"g","stamp":0.498000000}
        {"t":0.750000000,"pressure":101.325}
        {"t":1.000000000,"gpsdText":"$GPGGA,x"}
        {"t":1.000000000,"attach":{"id":"1","name":"Scale","port":"1-2","protocols":["com.example.a"]}}
        {"t":1.250000000,"open":"com.example.a","accessory":"1"}
        {"t":1.500000000,"in":"OK","accessory":"1","protocol":"com.example.a"}
        {"t":2.000000000,"lost":{"code":"silent","message":"Nothing."}}
        {"t":2.500000000,"battery":{"level":0.5,"state":"unplugged"}}
        {"t":3.000000000,"regained":true}
        {"t":3.500000000,"gpsd":{"class":"TPV","mode":1}}

        """

    static func trace(_ text: String = text) throws -> TraceFile { try TraceFile(bytes: [UInt8](text.utf8), name: "t") }

    static func lines(_ file: TraceFile) -> [Substring] {
        String(decoding: Array(file.bytes), as: UTF8.self).split(separator: "\n")
    }

    /// Writes the trace, and calls the closure with the path of the file.
    static func with<Result>(_ trace: TraceFile, _ body: (String) throws -> Result) throws -> Result {
        try Files.withFolder { folder in
            let path = folder + "/a.mcap"
            _ = try RecordingFormat.mcap.write(trace, to: path)
            return try body(path)
        }
    }

    static func bytes(of trace: TraceFile) throws -> [UInt8] { try with(trace) { try Files.bytes($0) } }

    // MARK: Python

    static let python = "/usr/bin/python3"

    static var hasPython: Bool { FileManager.default.isExecutableFile(atPath: python) }

    /// A Python with Foxglove's library: that of scripts/test, otherwise one of the system; nil if there is none.
    static let referenceReader: String? = {
        let own = Checkout.root.appendingPathComponent(".build/python/bin/python3").path
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        let candidates = [own, python] + path.split(separator: ":").map { "\($0)/python3" }
        return candidates.first { candidate in
            guard FileManager.default.isExecutableFile(atPath: candidate) else { return false }
            let test = "import mcap.reader, mcap_protobuf.writer, foxglove_schemas_protobuf"
            return (try? run(candidate, ["-c", test]))?.status == 0
        }
    }()

    static let referenceReaderMissing: Comment =
        "Foxglove's Python is not installed: pip install mcap-protobuf-support foxglove-schemas-protobuf, or scripts/test"

    static func run(_ program: String, _ arguments: [String]) throws -> (
        status: Int32, output: Data, errorOutput: String
    ) {
        try Files.withFolder { folder in
            let (output, errorOutput) = (folder + "/output", folder + "/notes")
            for path in [output, errorOutput] { try Data().write(to: URL(fileURLWithPath: path)) }
            let process = Process()
            process.executableURL = URL(fileURLWithPath: program)
            process.arguments = arguments
            process.standardOutput = FileHandle(forWritingAtPath: output)
            process.standardError = FileHandle(forWritingAtPath: errorOutput)
            try process.run()
            process.waitUntilExit()
            return (
                process.terminationStatus, try Data(contentsOf: URL(fileURLWithPath: output)),
                try String(contentsOfFile: errorOutput, encoding: .utf8)
            )
        }
    }

    /// Returns the lines that a script prints, as JSON objects.
    static func messages(_ program: String, _ script: String, _ arguments: [String]) throws -> [[String: Any]] {
        let result = try run(program, [Files.here.appendingPathComponent(script).path] + arguments)
        try #require(result.status == 0, "\(script): \(result.errorOutput)")
        return try result.output.split(separator: UInt8(ascii: "\n")).map { line in
            try #require(try JSONSerialization.jsonObject(with: Data(line)) as? [String: Any])
        }
    }
}
