// SPDX-License-Identifier: Apache-2.0

import SystemCalls

/// The calls by which a spool writes, so that a test can have them fail.
struct SpoolDisk: Sendable {
    /// The bytes written, or below zero with the reason in errno.
    var write: @Sendable (Int32, UnsafeRawBufferPointer) -> Int = { systemWrite($0, $1) }
}

/// One of the files that a spool consists of. It is only ever appended to.
final class SpoolFile {
    let path: String
    /// The numbers of its records; empty while there is none.
    private(set) var numbers: Range<UInt64>
    /// The bytes that it has, whole lines all of them.
    private(set) var size: Int
    /// The records in it that wait.
    var waiting: Int
    private let descriptor: Int32
    private let disk: SpoolDisk
    /// A line that failed could not be taken back: the next one begins with a newline.
    private var isTorn = false

    /// A new file for records from that number on. The error says why there is none.
    init(in folder: String, from number: UInt64, disk: SpoolDisk) throws(DeviceError) {
        path = "\(folder)/\(Self.name(number))"
        descriptor = NewFile.open(path)
        self.disk = disk
        (numbers, size, waiting) = (number..<number, 0, 0)
        guard descriptor >= 0 else {
            throw FileBytes.failedToWrite(path, call: "open", errno: errno, elsewhere: "choose another spool folder")
        }
    }

    /// A file that a former run has left, with what waits in it.
    init(path: String, numbers: Range<UInt64>, size: Int, waiting: Int) {
        (self.path, self.numbers, self.size, self.waiting) = (path, numbers, size, waiting)
        descriptor = -1
        disk = SpoolDisk()
    }

    deinit { if descriptor >= 0 { systemClose(descriptor) } }

    /// Twenty digits, so that names in the order of letters are in the order of numbers.
    static func name(_ number: UInt64) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, 20 - digits.utf8.count)) + digits + suffix
    }

    static let suffix = ".spool"

    /// Appends a line, whole or not at all; what went wrong is an error number.
    func append(_ line: [UInt8], record number: UInt64? = nil) -> Int32? {
        let bytes = isTorn ? [UInt8(ascii: "\n")] + line : line
        let problem = bytes.withUnsafeBytes { buffer -> Int32? in
            var offset = 0
            while offset < buffer.count {
                let count = disk.write(descriptor, UnsafeRawBufferPointer(rebasing: buffer[offset...]))
                if count > 0 {
                    offset += count
                } else if count == 0 || errno != EINTR {
                    return count == 0 ? EIO : errno
                }
            }
            return nil
        }
        if let problem {
            // The next line has to begin where this one did.
            if ftruncate(descriptor, off_t(size)) != 0 || lseek(descriptor, off_t(size), SEEK_SET) < 0 { isTorn = true }
            return problem
        }
        size += bytes.count
        isTorn = false
        if let number {
            numbers = (numbers.isEmpty ? number : numbers.lowerBound)..<(number + 1)
            waiting += 1
        }
        return nil
    }

    /// Forgets all that is in it: the broker has it.
    func empty() {
        guard size > 0, ftruncate(descriptor, 0) == 0, lseek(descriptor, 0, SEEK_SET) == 0 else { return }
        (size, waiting, isTorn) = (0, 0, false)
        numbers = numbers.upperBound..<numbers.upperBound
    }

    func remove() { unlink(path) }

    /// What it has from an offset on, as far as lines are whole.
    func bytes(from offset: Int) -> [UInt8] {
        let count = size - offset
        guard count > 0 else { return [] }
        let reader = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        guard reader >= 0 else { return [] }
        defer { systemClose(reader) }
        return [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            while filled < count {
                let read = pread(reader, buffer.baseAddress.map { $0 + filled }, count - filled, off_t(offset + filled))
                guard read > 0 || read < 0 && errno == EINTR else { return }
                filled += max(0, read)
            }
        }
    }

    /// A second descriptor to have the disk catch up with, for the caller to close; below zero when there is none.
    func descriptorToSync() -> Int32 { descriptor < 0 ? -1 : fcntl(descriptor, F_DUPFD_CLOEXEC, 0) }
}
