// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import GPSDProtocol
import SystemCalls
import Testing
import Trace

@testable import TraceFormats

/// Writes traces in other formats and reads them back.
enum RoundTrip {
    /// The written files, and the recording read from them.
    struct Result {
        /// The text of each file by name; the name is "" for a format with a single file.
        var files: [String: String]
        var remarks: [String]
        var reread: RecordingFile

        /// The text of a format with a single file.
        var text: String { files[""] ?? "" }
        /// The positions that were read back.
        var positions: ReadPositions { ReadPositions(reread.trace, remarks: reread.remarks) }
    }

    /// Writes the trace with the closure, which receives a path, and reads the result.
    static func by(
        _ trace: TraceFile, options: RecordingOptions = .init(), _ write: (TraceFile, String) throws -> [String]
    ) throws -> Result {
        try Files.withFolder { folder in
            let path = folder + "/out"
            let remarks = try write(trace, path)
            var files: [String: String] = [:]
            for name in FileIO.isDirectory(path) ? try Folder.names(path) : [""] {
                files[name] = String(decoding: try Files.bytes(name.isEmpty ? path : "\(path)/\(name)"), as: UTF8.self)
            }
            return Result(files: files, remarks: remarks, reread: try RecordingFile.open(path, options: options))
        }
    }

    /// Writes the trace in a format, and reads it back.
    static func through(_ format: RecordingFormat, _ trace: TraceFile) throws -> Result {
        try by(trace) { try format.write($0, to: $1) }
    }

    /// Returns the text of a format that can only be written.
    static func text(_ format: RecordingFormat, _ trace: TraceFile) throws -> String {
        try Files.withFolder { folder in
            _ = try format.write(trace, to: folder + "/out")
            return String(decoding: try Files.bytes(folder + "/out"), as: UTF8.self)
        }
    }

    /// A message of an MCAP file.
    struct Message {
        var topic: String
        var logged: UInt64
        var published: UInt64
        var contents: [String: Any]
    }

    /// Returns the messages that the trace contains as MCAP.
    static func messages(_ trace: TraceFile) throws -> [Message] {
        var reader = try MCAPReader(.memory(TraceBytes(try MCAPFiles.bytes(of: trace)), name: "t"))
        var messages: [Message] = []
        while let message = try reader.next() {
            let data = Data(try #require(try reader.data()))
            messages.append(
                Message(
                    topic: reader.channels[message.channel]?.topic ?? "", logged: message.logged,
                    published: message.published,
                    contents: try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])))
        }
        return messages
    }
}

/// Returns the recording of a Sensor Logger directory in memory: files as lists of lines, and the contents of
/// Metadata.csv.
func sensorLogger(
    _ platform: String, standardised: Bool = false, _ files: [String: [String]]
) throws(DeviceError) -> Recording {
    var bytes = files.mapValues { [UInt8]($0.map { "\($0)\n" }.joined().utf8) }
    let metadata = "version,platform,standardisation\n3,\(platform),\(standardised)\n"
    bytes["Metadata.csv"] = [UInt8](metadata.utf8)
    return try Recording(sensorLogger: bytes, name: "walk")
}

/// Returns a sentence with its checksum.
func nmeaSentence(_ text: String) -> String {
    let sum = String(text.utf8.reduce(0, ^), radix: 16, uppercase: true)
    return "$\(text)*\(sum.count == 1 ? "0" : "")\(sum)"
}
