// SPDX-License-Identifier: Apache-2.0

import SystemCalls

/// A spool's directory, locked for exclusive use by one publisher.
final class SpoolFolder {
    let path: String
    private let descriptor: Int32

    /// Creates the directory if necessary, and locks it. Throws an error if another publisher has locked it.
    init(_ path: String) throws(DeviceError) {
        self.path = path
        let isNew = mkdir(path, 0o700) == 0
        let number = errno
        descriptor = isNew || number == EEXIST ? systemOpen(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) : -1
        guard isNew || number == EEXIST else { throw FileIO.writeError(path, call: "mkdir", errno: number) }
        guard descriptor >= 0 else {
            throw DeviceError(
                .inputOutput, "\(path) is not a usable directory. A spool requires a directory of its own.",
                cause: .system(call: "open", errno: errno))
        }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_uid == geteuid() || geteuid() == 0,
            status.st_mode & 0o022 == 0
        else {
            throw DeviceError(
                .permissionDenied,
                "The directory \(path) belongs to another user, or others may write to it. Choose another directory.")
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            throw DeviceError(
                .busy, "Another publisher uses the spool \(path). Stop it, or choose another directory.",
                cause: .system(call: "flock", errno: errno))
        }
    }

    deinit {
        guard descriptor >= 0 else { return }
        systemUnlock(descriptor)
        systemClose(descriptor)
    }

    /// The records left by a previous run, in order.
    struct StoredRecords {
        var files: [SpoolFile] = []
        /// All records up to and including this number have been acknowledged.
        var acknowledged: UInt64 = 0
        var next: UInt64 = 1
        var lastPosition: UInt64 = 0
        /// The number of records dropped because there were too many files.
        var dropped = 0
    }

    /// The maximum number of files to keep from a previous run.
    static let fileLimit = 4096
    /// The maximum number of file names to read. It is larger than the maximum number of records, because each record
    /// may be in its own file.
    private static let nameLimit = 1 << 17
    /// The maximum size of a file, in bytes.
    private static let sizeLimit = 4 << 20

    /// Reads the records from a previous run. Removes files that are no longer needed and, if there are too many files,
    /// the oldest ones.
    func readStoredRecords(_ disk: SpoolFileSystem) throws(DeviceError) -> StoredRecords {
        let names = try names()
        var stored = StoredRecords()
        var contents: [(file: String, size: Int, numbers: [UInt64])] = []
        for name in names {
            let file = "\(path)/\(name)"
            let bytes = try FileIO.read(file, limit: Self.sizeLimit)
            var numbers: [UInt64] = []
            bytes.withUnsafeBytes { buffer in
                for line in buffer.split(separator: UInt8(ascii: "\n")) {
                    switch SpoolLine(UnsafeRawBufferPointer(rebasing: line)) {
                    case .record(let record) where record.number > (numbers.last ?? 0):
                        numbers.append(record.number)
                        if record.kind == .position { stored.lastPosition = record.number }
                    case .acknowledged(let number): stored.acknowledged = max(stored.acknowledged, number)
                    case .record, nil: break
                    }
                }
            }
            // The number in a file name must never be reused, even if the file contains only an acknowledgement.
            if let number = UInt64(name.dropLast(SpoolFile.suffix.utf8.count)), number < 1 << 62 {
                stored.next = max(stored.next, number + 1)
            }
            contents.append((file, bytes.count, numbers))
        }
        for (index, content) in contents.enumerated() {
            let unacknowledgedCount = content.numbers.lazy.filter { $0 > stored.acknowledged }.count
            if let last = content.numbers.last { stored.next = max(stored.next, last + 1) }
            let isTooOld = index < contents.count - Self.fileLimit
            // A file without queued records may still contain acknowledgements for an earlier file, so it is kept as
            // long as an earlier file is kept.
            guard unacknowledgedCount > 0 || !stored.files.isEmpty, !isTooOld else {
                stored.dropped += unacknowledgedCount
                unlink(content.file)
                continue
            }
            let end = content.numbers.last.map { $0 + 1 } ?? stored.files.last?.numbers.upperBound ?? 1
            stored.files.append(
                SpoolFile(
                    path: content.file, numbers: (content.numbers.first ?? end)..<end, size: content.size,
                    unacknowledgedCount: unacknowledgedCount, disk: disk))
        }
        stored.next = max(stored.next, stored.acknowledged + 1)
        return stored
    }

    private func names() throws(DeviceError) -> [String] {
        guard var entries = DirectoryEntries(path) else { throw FileIO.readError(path, call: "opendir", errno: errno) }
        var names: [String] = []
        while names.count < Self.nameLimit, let name = entries.next() {
            if name.hasSuffix(SpoolFile.suffix) { names.append(name) }
        }
        return names.sorted()
    }

    func duplicateToSync() -> Int32? { Self.duplicate(descriptor) }

    static func duplicate(_ descriptor: Int32) -> Int32? {
        let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        return copy < 0 ? nil : copy
    }
}
