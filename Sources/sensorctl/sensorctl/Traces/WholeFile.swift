// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import SystemCalls
import Trace

/// A file that a verb makes at once: it is there as a whole or not at all.
enum WholeFile {
    /// Writes it, "-" for standard output; says why when that fails, and ends the verb.
    static func write(_ bytes: [UInt8], to path: String, _ options: NewFileOptions) throws {
        do throws(DeviceError) {
            let file = try TraceOutput(whole: path, overwrite: options.overwrite, mode: options.mode?.bits)
            do throws(DeviceError) {
                try file.write(bytes)
            } catch {
                file.abandon()
                throw error
            }
            try file.close()
        } catch {
            try ExitStatus.end(error, writing: path)
        }
    }
}

extension ExitStatus {
    /// Says why an output cannot be written, and ends the verb.
    static func end(_ error: DeviceError, writing output: String) throws {
        switch error.cause {
        case .system(_, EPIPE)?:
            // Nobody reads the output any more, which ends every verb quietly.
            return
        case .system(_, EEXIST)?:
            Notes.fail("\(output) exists already. Choose another name, or replace it with --overwrite.")
            try ExitStatus.cannotCreate.end()
        default: Notes.fail(error.description)
        }
        try ExitStatus(error, otherwise: error.code == .inputOutput ? .inputOutput : .cannotCreate).end()
    }
}
