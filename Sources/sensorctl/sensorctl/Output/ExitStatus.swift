// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import DeviceCore

/// The program's exit statuses. Statuses from 64 upwards are defined in sysexits.h.
enum ExitStatus: Int32, Error {
    case success = 0
    case different = 1
    case usage = 64
    case dataError = 65
    case noInput = 66
    case unavailable = 69
    case cannotCreate = 73
    case inputOutput = 74
    case noPermission = 77

    static let documentation = """
          0   The command succeeded, it was stopped by SIGINT or SIGTERM, or the reader of its output closed the pipe.
          1   The answers of an accessory (talk --script) or the callbacks of a replay (replay --expect) differ from \
        the expected ones.
          64  The arguments are invalid, or match more than one accessory or protocol.
          65  The input file is not a valid recording, route, script or magnetic model, or does not contain the \
        requested data.
          66  The file cannot be read.
          69  The requested data is not available or did not arrive in time, a stream cannot be plotted, a port or an \
        accessory is in use, a calibration failed, doctor found a problem, publish lost messages, or a signal \
        interrupted replay --expect.
          73  The file or folder cannot be created.
          74  The output cannot be written, or the accessory stopped accepting data.
          77  Access to the position or to a device is denied.
          127  simulate cannot start PROGRAM.

        If simulate runs PROGRAM, it forwards signals to it and exits with its exit code, or with 128 plus the number \
        of the signal that terminates it. When the time specified with --duration has elapsed, it sends SIGTERM, and \
        five seconds later SIGKILL. The exit code is then 0.

        The commands info, convert, cut, merge and scrub do not catch SIGINT and SIGTERM, so these signals terminate \
        them. In this case, they leave no new file behind.
        """

    init(reading error: DeviceError) { self.init(error, otherwise: .noInput) }

    /// Creates the exit status for an error. `invalidTrace` and `invalidConfiguration` have their own statuses. For any
    /// other code, the exit status is `status`.
    init(_ error: DeviceError, otherwise status: Self) {
        self =
            switch error.code {
            case .invalidTrace: .dataError
            case .invalidConfiguration: .usage
            default: status
            }
    }

    init(starting error: DeviceError) { self = error.code == .invalidConfiguration ? .usage : .unavailable }

    /// Throws this status to end the command, unless the status is `success`. Prints nothing.
    func exit() throws { if self != .success { throw ExitCode(rawValue) } }

    /// If `body` throws a device error, logs the error and throws the corresponding exit status.
    static func exitOnError<Value>(
        _ status: (DeviceError) -> ExitStatus = ExitStatus.init(reading:), _ body: () throws -> Value
    ) throws -> Value {
        do { return try body() } catch let error as DeviceError {
            Log.error(error.description)
            try status(error).exit()
            throw error
        }
    }

    /// Throws a `ValidationError` if `body` throws a device error.
    static func validating<Value>(_ body: () throws -> Value) throws -> Value {
        do { return try body() } catch let error as DeviceError { throw ValidationError(error.description) }
    }
}
