// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import DeviceCore

/// How the program ends. The numbers from 64 on are those of sysexits.h.
enum ExitStatus: Int32, Error {
    case success = 0
    case different = 1
    case usage = 64
    case badTrace = 65
    case noInput = 66
    case unavailable = 69
    case cannotCreate = 73
    case inputOutput = 74
    case noPermission = 77

    static let documentation = """
        Exit codes: 0 done, also when ended by SIGINT or SIGTERM, or when nobody reads the output any more; info, convert, cut, \
        merge and scrub end by the signal itself, and leave no new file. 1 an \
        accessory answers otherwise than recorded, or a replay gives other callbacks than expected. 64 the \
        arguments are wrong. 65 the file is not a trace, or not a magnetic model. 66 the file cannot be read. 69 what was asked for did not come \
        in the given time, or is not there. 73 the file cannot be created. 74 the output cannot be written. 77 the use of the position, \
        or of a device, is not allowed.
        """

    /// How a failure to read a trace, or to do with it what the arguments say, ends the program.
    init(reading error: DeviceError) { self.init(error, otherwise: .noInput) }

    /// How a failure ends the program; other ones than of a trace and of the arguments end it with the given status.
    init(_ error: DeviceError, otherwise status: Self) {
        self =
            switch error.code {
            case .invalidTrace: .badTrace
            case .invalidConfiguration: .usage
            default: status
            }
    }

    /// How a failure to start something ends the program.
    init(starting error: DeviceError) { self = error.code == .invalidConfiguration ? .usage : .unavailable }

    /// Ends the verb: quietly, for what there is to say has been said.
    func end() throws { if self != .success { throw ExitCode(rawValue) } }

    /// Does it; where that fails says why, and ends the verb as the failure has it.
    ///
    /// - Parameter status: how a failure ends the program.
    static func ending<Value>(
        _ status: (DeviceError) -> ExitStatus, _ body: () throws(DeviceError) -> Value
    ) throws -> Value {
        do throws(DeviceError) {
            return try body()
        } catch {
            Notes.fail(error.description)
            try status(error).end()
            throw error
        }
    }

    /// Does it; where that fails says that the arguments are wrong.
    static func validating<Value>(_ body: () throws(DeviceError) -> Value) throws -> Value {
        do throws(DeviceError) { return try body() } catch { throw ValidationError(error.description) }
    }
}
