// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Trace
import TraceFormats

extension TraceFile {
    /// Reads the trace that a user named, "-" for standard input; says why when that fails, and ends the verb.
    static func read(userPath path: String) throws -> TraceFile {
        try ExitStatus.ending(ExitStatus.init(reading:)) { () throws(DeviceError) in
            path == "-"
                ? try TraceFile(bytes: try standardInput(), name: standardInputName) : try TraceFile(path: path)
        }
    }
}

extension RecordingFile {
    /// Reads the recording of any kind that a user named, "-" for standard input; says what there is to say of it, and ends
    /// the verb when it cannot be read.
    ///
    /// - Parameter options: what the user knows of it.
    static func read(userPath path: String, options: RecordingOptions) throws -> RecordingFile {
        let recording = try ExitStatus.ending(ExitStatus.init(reading:)) { () throws(DeviceError) in
            path == "-"
                ? try RecordingFile.read(try standardInput(), name: standardInputName, options: options)
                : try RecordingFile.open(path, options: options)
        }
        for remark in recording.remarks { Notes.warn("\(recording.trace.name): \(remark)") }
        return recording
    }
}

private let standardInputName = "standard input"

private func standardInput() throws(DeviceError) -> [UInt8] {
    let limit = TraceFile.maximumSize
    switch Descriptor.standardInput.readAll(limit: limit) {
    case .success(let bytes): return bytes
    case .failure(.tooLarge):
        throw DeviceError(.inputOutput, "Standard input has more than \(limit) bytes, which is the limit.")
    case .failure(.system(let number)):
        throw DeviceError(.inputOutput, "Standard input cannot be read.", cause: .system(call: "read", errno: number))
    }
}
