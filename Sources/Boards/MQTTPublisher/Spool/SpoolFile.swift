// SPDX-License-Identifier: Apache-2.0

import SystemCalls

/// The file system calls used by a spool. Tests can replace them. On failure, they set `errno`.
struct SpoolFileSystem: Sendable {
    /// Opens a file from a previous run for reading. Returns a descriptor, or a negative value on failure.
    var open: @Sendable (String) -> Int32 = { systemOpen($0, O_RDONLY | O_NOFOLLOW | O_CLOEXEC) }
    /// Truncates a file. Returns 0, or a negative value on failure.
    var truncate: @Sendable (Int32, Int) -> Int32 = { ftruncate($0, off_t($1)) }
    /// Blocks until a file's data has been written to the storage device.
    var sync: @Sendable (Int32) -> Void = { fsync($0) }
    /// Returns the number of bytes written, or a negative value on failure.
    var write: @Sendable (Int32, UnsafeRawBufferPointer) -> Int = { systemWrite($0, $1) }
}

/// A spool file, written only by appending lines.
final class SpoolFile {
    let path: String
    /// The range of record numbers in this file. Empty if the file has no records.
    private(set) var numbers: Range<UInt64>
    /// The size, in bytes. The file contains only complete lines.
    private(set) var size: Int
    var unacknowledgedCount: Int
    private let descriptor: Int32
    private let disk: SpoolFileSystem
    /// True if lines can be appended. False if the file is from a previous run, or if an incomplete line could not be
    /// removed.
    private(set) var isOpen: Bool
    /// True if the file contains lines that may not yet be on the storage device.
    private var isUnsynced = false

    init(in folder: String, from number: UInt64, disk: SpoolFileSystem) throws(DeviceError) {
        path = "\(folder)/\(Self.name(number))"
        descriptor = ExclusiveFile.open(path, access: O_RDWR | O_APPEND)
        self.disk = disk
        (numbers, size, unacknowledgedCount, isOpen) = (number..<number, 0, 0, true)
        guard descriptor >= 0 else {
            throw FileIO.writeError(path, call: "open", errno: errno, locationHint: "choose another spool directory")
        }
    }

    /// Creates an object for a file from a previous run. The file is open only while it is being read.
    init(path: String, numbers: Range<UInt64>, size: Int, unacknowledgedCount: Int, disk: SpoolFileSystem) {
        (self.path, self.numbers, self.size, self.unacknowledgedCount, self.disk) = (
            path, numbers, size, unacknowledgedCount, disk
        )
        (descriptor, isOpen) = (-1, false)
    }

    deinit { if descriptor >= 0 { systemClose(descriptor) } }

    /// Returns the file name for a record number, padded to 20 digits so that alphabetical order matches numerical
    /// order. The names must not change, because the next run searches for them.
    static func name(_ number: UInt64) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, 20 - digits.utf8.count)) + digits + suffix
    }

    static let suffix = ".spool"

    /// Appends a line, either completely or not at all. On failure, returns an error number.
    func append(_ line: [UInt8], record number: UInt64? = nil) -> Int32? {
        let problem = line.withUnsafeBytes { buffer in FileIO.writeAll(buffer) { disk.write(descriptor, $0) } }
        if let problem {
            // Removes the incomplete line. If this fails, the next line must be written to a different file.
            if disk.truncate(descriptor, size) != 0 { isOpen = false }
            return problem
        }
        size += line.count
        isUnsynced = true
        if let number {
            numbers = (numbers.isEmpty ? number : numbers.lowerBound)..<(number + 1)
            unacknowledgedCount += 1
        }
        return nil
    }

    /// Empties the file after all its records have been acknowledged. Returns false on failure.
    func truncate() -> Bool {
        guard disk.truncate(descriptor, 0) == 0 else { return false }
        (size, unacknowledgedCount) = (0, 0)
        numbers = numbers.upperBound..<numbers.upperBound
        return true
    }

    /// Removes the file and frees its blocks, even if the file is still open elsewhere.
    func remove() {
        unlink(path)
        if descriptor >= 0 { _ = ftruncate(descriptor, 0) }
    }

    /// Returns the contents from an offset to the end. A file created in this run is still open, so it can be read even
    /// after being unlinked.
    func bytes(from offset: Int) throws(DeviceError) -> [UInt8] {
        let reader = descriptor >= 0 ? descriptor : disk.open(path)
        guard reader >= 0 else { throw FileIO.readError(path, call: "open", errno: errno) }
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
        guard problem == 0 else { throw FileIO.readError(path, call: "pread", errno: problem) }
        return bytes
    }

    /// Returns a descriptor to sync, or nil if the file is already synced, has no queued records or cannot be
    /// duplicated.
    func duplicateToSync() -> Int32? {
        guard isUnsynced, unacknowledgedCount > 0, let copy = SpoolFolder.duplicate(descriptor) else { return nil }
        isUnsynced = false
        return copy
    }
}
