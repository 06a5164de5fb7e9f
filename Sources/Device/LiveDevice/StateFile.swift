// SPDX-License-Identifier: Apache-2.0

package import DeviceCore
import Logging
import Synchronization
import SystemCalls

/// A small file, stored next to the calibrations, in which a program keeps state between runs. The file is replaced
/// atomically. Only the owner can read it, because its content may reveal positions. Errors are logged but not thrown.
package final class StateFile: Sendable {
    /// The maximum size, in bytes, of a file that `read()` accepts.
    package static let maximumSize = 4 << 20

    package let path: String
    private let failed = Atomic<Bool>(false)
    private let warn: @Sendable (String) -> Void
    private static let log = Logger(label: "device-services.state")

    /// - Parameter warn: Receives messages about problems. If it is nil, the messages are logged.
    package init(path: String, warn: (@Sendable (String) -> Void)? = nil) {
        self.path = path
        self.warn = warn ?? { StateFile.log.warning("\($0)") }
    }

    /// Returns the current program's file for the given purpose, or nil if the environment specifies no directory. The
    /// path of the executable identifies the program, so all processes of a program share the file. The file name must
    /// not change, or programs would lose their state.
    package static func forCurrentProgram(purpose: String) -> StateFile? {
        guard let folder = CalibrationDirectory.forCurrentUser().path else { return nil }
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
        let count = readlink("/proc/self/exe", &buffer, buffer.count - 1)
        let program = buffer.prefix(max(0, count)).map { UInt8(bitPattern: $0) }
        let name = program.split(separator: UInt8(ascii: "/")).last ?? []
        // The human-readable part of the file name. A hash distinguishes programs with the same name.
        let readableName = name.prefix(40).map { byte -> UInt8 in
            switch byte {
            case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, 0x2d, 0x5f: byte
            default: UInt8(ascii: "_")
            }
        }
        return StateFile(
            path:
                "\(folder)/\(purpose)-\(String(decoding: readableName, as: UTF8.self))-\(StableHash.text(program)).json"
        )
    }

    package var hasWriteFailed: Bool { failed.load(ordering: .relaxed) }

    /// Returns nil if the file does not exist or cannot be read. A read error is logged.
    package func read() -> [UInt8]? {
        do throws(DeviceError) {
            return try FileIO.read(path, limit: Self.maximumSize)
        } catch {
            if error.code != .notFound { report(error) }
            return nil
        }
    }

    /// - Parameter reason: The reason, as a clause that follows the word "because" in the log message.
    package func reportUnusable(reason: String) {
        warn(
            "The state file \(path) is ignored because \(reason). Its contents are not used; the next change of the state replaces the file."
        )
    }

    package func report(_ error: DeviceError) { warn("\(error)") }

    /// Replaces the file's content. If writing fails, returns the error, which the caller must pass to `report` without
    /// holding a lock. If writing fails several times in a row, returns only the first error.
    package func write(_ bytes: [UInt8]) -> DeviceError? {
        do throws(DeviceError) {
            try StateDirectory.replace(path, with: bytes)
            failed.store(false, ordering: .relaxed)
            return nil
        } catch { return failed.exchange(true, ordering: .relaxed) ? nil : error }
    }
}
