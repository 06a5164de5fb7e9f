// SPDX-License-Identifier: Apache-2.0

import SystemCalls

/// The calls by which a spool reads and writes, so that a test can have them fail. The reason is in errno.
struct SpoolDisk: Sendable {
    /// A descriptor to read what a former run has left, or below zero.
    var open: @Sendable (String) -> Int32 = { systemOpen($0, O_RDONLY | O_NOFOLLOW | O_CLOEXEC) }
    /// Zero, or below it.
    var truncate: @Sendable (Int32, Int) -> Int32 = { ftruncate($0, off_t($1)) }
    /// Waits until the disk has all of it.
    var sync: @Sendable (Int32) -> Void = { fsync($0) }
    /// The bytes written, or below zero.
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
    /// False when it is of a former run, and when a line that failed could not be taken back.
    private(set) var isOpen: Bool
    /// It has lines that the disk may not have yet.
    private var isUnsynced = false

    /// A new file for records from that number on. The error says why there is none.
    init(in folder: String, from number: UInt64, disk: SpoolDisk) throws(DeviceError) {
        path = "\(folder)/\(Self.name(number))"
        descriptor = NewFile.open(path, access: O_RDWR | O_APPEND)
        self.disk = disk
        (numbers, size, waiting, isOpen) = (number..<number, 0, 0, true)
        guard descriptor >= 0 else {
            throw FileBytes.failedToWrite(path, call: "open", errno: errno, elsewhere: "choose another spool folder")
        }
    }

    /// A file that a former run has left, with what waits in it.
    init(path: String, numbers: Range<UInt64>, size: Int, waiting: Int, disk: SpoolDisk) {
        (self.path, self.numbers, self.size, self.waiting, self.disk) = (path, numbers, size, waiting, disk)
        (descriptor, isOpen) = (-1, false)
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
        let problem = line.withUnsafeBytes { buffer -> Int32? in
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
            // The next line has to begin where this one did, or in another file.
            if disk.truncate(descriptor, size) != 0 { isOpen = false }
            return problem
        }
        size += line.count
        isUnsynced = true
        if let number {
            numbers = (numbers.isEmpty ? number : numbers.lowerBound)..<(number + 1)
            waiting += 1
        }
        return nil
    }

    /// Forgets all that is in it: the broker has it. False when that cannot be.
    func empty() -> Bool {
        guard disk.truncate(descriptor, 0) == 0 else { return false }
        (size, waiting) = (0, 0)
        numbers = numbers.upperBound..<numbers.upperBound
        return true
    }

    func remove() { unlink(path) }

    /// All that it has from an offset on. That of this run can be read when somebody has removed its name, and without
    /// another descriptor.
    func bytes(from offset: Int) throws(DeviceError) -> [UInt8] {
        let reader = descriptor >= 0 ? descriptor : disk.open(path)
        guard reader >= 0 else { throw FileBytes.failedToRead(path, call: "open", errno: errno) }
        defer { if descriptor < 0 { systemClose(reader) } }
        let count = size - offset
        var problem: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            while filled < count {
                let read = pread(reader, buffer.baseAddress.map { $0 + filled }, count - filled, off_t(offset + filled))
                guard read > 0 || read < 0 && errno == EINTR else {
                    problem = read == 0 ? EIO : errno
                    return
                }
                filled += max(0, read)
            }
        }
        guard problem == 0 else { throw FileBytes.failedToRead(path, call: "pread", errno: problem) }
        return bytes
    }

    /// A second descriptor to have the disk catch up with, for the caller to close; nil when there is no need, or none left.
    func descriptorToSync() -> Int32? {
        guard isUnsynced, waiting > 0 else { return nil }
        let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        guard copy >= 0 else { return nil }
        isUnsynced = false
        return copy
    }
}
