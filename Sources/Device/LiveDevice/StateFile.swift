// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Logging
import Synchronization
import SystemCalls

/// A small file in which a program keeps something from one run to the next, beside the calibrations.
///
/// It is whole whenever power fails. Only its user reads it: it may tell where somebody was. Problems are logged, once for
/// each kind, and nothing else fails.
package final class StateFile: Sendable {
    /// The largest file that is read, in bytes.
    package static let maximumSize = 4 << 20

    /// Where it is.
    package let path: String
    private let failed = Atomic<Bool>(false)
    private let warn: @Sendable (String) -> Void
    private static let log = Logger(label: "device-services.state")

    /// The file of that path.
    /// - Parameter warn: told of problems, in place of the log.
    package init(path: String, warn: (@Sendable (String) -> Void)? = nil) {
        self.path = path
        self.warn = warn ?? { StateFile.log.warning("\($0)") }
    }

    /// The file of this program and user for that purpose; nil when the environment names no place for one.
    ///
    /// A program is known by the path of its executable: two runs of it at the same time share the file.
    package static func ofProgram(_ purpose: String) -> StateFile? {
        guard let folder = CalibrationFolder.ofUser().path else { return nil }
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
        let count = readlink("/proc/self/exe", &buffer, buffer.count - 1)
        let program = buffer.prefix(max(0, count)).map { UInt8(bitPattern: $0) }
        let name = program.split(separator: UInt8(ascii: "/")).last ?? []
        // For people; the hash tells programs of one name apart.
        let shown = name.prefix(40).map { byte -> UInt8 in
            switch byte {
            case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, 0x2d, 0x5f: byte
            default: UInt8(ascii: "_")
            }
        }
        return StateFile(
            path: "\(folder)/\(purpose)-\(String(decoding: shown, as: UTF8.self))-\(StableHash.text(program)).json")
    }

    /// True when the file could not be written the last time.
    package var hasFailed: Bool { failed.load(ordering: .relaxed) }

    /// What it holds; nil when it is not there or cannot be read, which is logged.
    package func read() -> [UInt8]? {
        do throws(DeviceError) {
            return try FileBytes.read(path, limit: Self.maximumSize)
        } catch {
            if error.code != .notFound { warn("\(error)") }
            return nil
        }
    }

    /// What it holds cannot be used.
    package func reject(_ why: String) {
        warn(
            "\(path) is left out, for \(why). What it held begins anew; the file is replaced when there is something to keep."
        )
    }

    /// Puts those bytes in the place of what it holds.
    package func write(_ bytes: [UInt8]) {
        do throws(DeviceError) {
            try StateFolder.replace(path, with: bytes)
            failed.store(false, ordering: .relaxed)
        } catch {
            if !failed.exchange(true, ordering: .relaxed) { warn("\(error)") }
        }
    }
}
