// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import SystemCalls
import Trace

/// Writes files atomically: the file is complete or does not exist.
enum AtomicFile {
    /// Writes a file; "-" is standard output. Exits with an error if that fails.
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
            try ExitStatus.exit(error, writing: path)
        }
    }
}

extension ExitStatus {
    /// Logs the reason that an output cannot be written, and exits with the status.
    static func exit(_ error: DeviceError, writing output: String) throws {
        switch error.cause {
        case .system(_, EPIPE)?:
            // The reader has closed the pipe, which is not an error.
            return
        case .system(_, EEXIST)?:
            Log.error("\(output) already exists. Choose another name, or replace it with --overwrite.")
            try ExitStatus.cannotCreate.exit()
        default: Log.error(error.description)
        }
        try ExitStatus(error, otherwise: error.code == .inputOutput ? .inputOutput : .cannotCreate).exit()
    }
}
