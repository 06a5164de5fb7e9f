// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import SystemCalls

/// An unnamed temporary file for data that exceeds the memory limit. The kernel deletes the file when the last
/// reference to it is released.
final class TemporaryBuffer {
    private let descriptor: Int32
    private let folder: String
    private(set) var count = 0

    /// Creates a file in `$TMPDIR`, or in /var/tmp if the variable is unset. /tmp is not used, because it is often a
    /// RAM disk.
    init() throws(DeviceError) {
        folder = TemporaryFiles.directory(default: "/var/tmp")
        guard let newDescriptor = TemporaryFiles.createUnlinkedFile(prefix: "trace-", in: folder) else {
            throw Self.failure(folder, call: "mkstemp", errno: errno)
        }
        descriptor = newDescriptor
    }

    deinit { close(descriptor) }

    func append(_ bytes: [UInt8]) throws(DeviceError) {
        do throws(DeviceError) {
            try TraceOutput(descriptor: descriptor, name: folder, isOwned: false).write(bytes)
        } catch {
            guard case .system(let call, let number)? = error.cause else { throw error }
            throw Self.failure(folder, call: call, errno: number)
        }
        count += bytes.count
    }

    func bytes() throws(DeviceError) -> TraceBytes {
        guard let file = MappedFile(descriptor: descriptor, count: count) else {
            throw Self.failure(folder, call: "mmap", errno: errno)
        }
        return TraceBytes(file)
    }

    private static func failure(_ folder: String, call: String, errno number: Int32) -> DeviceError {
        let problem =
            number == ENOSPC || number == EDQUOT || number == EFBIG
            ? "There is no space left in \(folder)" : "No file can be created in \(folder)"
        return DeviceError(
            .inputOutput,
            "\(problem), where traces that are too large for memory are stored. Set TMPDIR to a directory with free space.",
            cause: .system(call: call, errno: number))
    }
}
