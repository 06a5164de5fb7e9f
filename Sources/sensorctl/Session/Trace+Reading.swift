// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Trace
import TraceFormats

extension TraceFile {
    /// Reads the trace that a user named, "-" for standard input; says why when that fails, and ends the verb.
    ///
    /// - Parameters:
    ///   - allowsImport: true to take recordings of other kinds as well.
    ///   - options: what the user knows of those.
    static func read(
        userPath path: String, allowsImport: Bool = false, options: RecordingOptions = RecordingOptions()
    ) throws -> TraceFile {
        do throws(DeviceError) {
            if path != "-", allowsImport { return Self.trace(of: try RecordingFile.open(path, options: options)) }
            guard path == "-" else { return try TraceFile(path: path) }
            let name = "standard input"
            switch Descriptor(number: 0).readAll(limit: maximumSize) {
            case .success(let bytes):
                guard allowsImport else { return try TraceFile(bytes: bytes, name: name) }
                return Self.trace(of: try RecordingFile.read(bytes, name: name, options: options))
            case .failure(.tooLarge):
                throw DeviceError(
                    .inputOutput, "Standard input has more than \(maximumSize) bytes, which is the limit.")
            case .failure(.system(let number)):
                throw DeviceError(
                    .inputOutput, "Standard input cannot be read.", cause: .system(call: "read", errno: number))
            }
        } catch {
            Notes.fail(error.description)
            try ExitStatus(reading: error).end()
            throw error
        }
    }

    private static func trace(of recording: RecordingFile) -> TraceFile {
        for remark in recording.remarks { Notes.warn("\(recording.trace.name): \(remark)") }
        return recording.trace
    }
}
