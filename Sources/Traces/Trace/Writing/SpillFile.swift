// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import SystemCalls

/// A file without a name, for what is too much for memory. It is gone when nobody has it any more.
final class SpillFile {
    private let descriptor: Int32
    private let folder: String
    private(set) var count = 0

    /// Makes one in `$TMPDIR`, else in /var/tmp, which lies on the disk more often than /tmp.
    init() throws(DeviceError) {
        folder = TemporaryFiles.place(otherwise: "/var/tmp")
        guard let made = TemporaryFiles.makeNamelessFile("trace-", in: folder) else {
            throw Self.failure(folder, call: "mkstemp", errno: errno)
        }
        descriptor = made
    }

    deinit { close(descriptor) }

    /// Adds bytes at the end.
    func append(_ bytes: [UInt8]) throws(DeviceError) {
        do throws(DeviceError) {
            try TraceOutput(descriptor: descriptor, name: folder, isOwned: false).write(bytes)
        } catch {
            guard case .system(let call, let number)? = error.cause else { throw error }
            throw Self.failure(folder, call: call, errno: number)
        }
        count += bytes.count
    }

    /// Its bytes so far.
    func bytes() throws(DeviceError) -> TraceBytes {
        guard let file = MappedFile(descriptor: descriptor, count: count) else {
            throw Self.failure(folder, call: "mmap", errno: errno)
        }
        return TraceBytes(file)
    }

    private static func failure(_ folder: String, call: String, errno number: Int32) -> DeviceError {
        let what =
            number == ENOSPC || number == EDQUOT || number == EFBIG
            ? "There is no space left in \(folder)" : "No file can be written in \(folder)"
        return DeviceError(
            .inputOutput,
            "\(what), where traces that are too large for memory lie meanwhile. Set TMPDIR to a folder with space.",
            cause: .system(call: call, errno: number))
    }
}
