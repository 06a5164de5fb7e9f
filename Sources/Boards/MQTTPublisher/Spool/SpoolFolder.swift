// SPDX-License-Identifier: Apache-2.0

import SystemCalls

/// The folder of a spool, which one publisher has at a time.
final class SpoolFolder {
    let path: String
    private let descriptor: Int32

    /// Makes the folder unless it is there, and takes it. The error says that another publisher has it, or why it cannot be
    /// used.
    init(_ path: String) throws(DeviceError) {
        self.path = path
        let isNew = mkdir(path, 0o700) == 0
        let number = errno
        descriptor = isNew || number == EEXIST ? systemOpen(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) : -1
        guard isNew || number == EEXIST else {
            throw FileBytes.failedToWrite(path, call: "mkdir", errno: number)
        }
        guard descriptor >= 0 else {
            throw DeviceError(
                .inputOutput, "\(path) is no folder that can be used. A spool needs a folder of its own.",
                cause: .system(call: "open", errno: errno))
        }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_uid == geteuid() || geteuid() == 0,
            status.st_mode & 0o022 == 0
        else {
            throw DeviceError(
                .permissionDenied,
                "The folder \(path) belongs to another user, or others may write into it. Choose a folder of your own.")
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            throw DeviceError(
                .busy, "Another publisher has the spool \(path). End it, or choose another folder.",
                cause: .system(call: "flock", errno: errno))
        }
    }

    deinit {
        guard descriptor >= 0 else { return }
        systemUnlock(descriptor)
        systemClose(descriptor)
    }

    /// What a former run has left, in order.
    struct Leftovers {
        var files: [SpoolFile] = []
        /// The number up to which the broker has all.
        var taken: UInt64 = 0
        /// The number that follows all there were.
        var next: UInt64 = 1
        /// The number of the last position.
        var lastPosition: UInt64 = 0
        /// Records of files that are too many.
        var dropped = 0
    }

    /// The most files that are kept.
    static let fileLimit = 4096
    /// The most that are looked at: there may be one for each record.
    private static let nameLimit = 1 << 17
    /// The most bytes of one.
    private static let sizeLimit = 4 << 20

    /// Reads what is there. Files in which nothing waits any more are removed, and the oldest of too many.
    func leftovers(_ disk: SpoolDisk) throws(DeviceError) -> Leftovers {
        let names = try names()
        var found = Leftovers()
        var contents: [(file: String, size: Int, numbers: [UInt64])] = []
        for name in names {
            let file = "\(path)/\(name)"
            let bytes = try FileBytes.read(file, limit: Self.sizeLimit)
            var numbers: [UInt64] = []
            bytes.withUnsafeBytes { buffer in
                for line in buffer.split(separator: UInt8(ascii: "\n")) {
                    switch SpoolLine(UnsafeRawBufferPointer(rebasing: line)) {
                    case .record(let record) where record.number > (numbers.last ?? 0):
                        numbers.append(record.number)
                        if record.kind == .position { found.lastPosition = record.number }
                    case .taken(let number): found.taken = max(found.taken, number)
                    case .record, nil: break
                    }
                }
            }
            // A file may have told only what the broker has: no other one gets its name.
            if let number = UInt64(name.dropLast(SpoolFile.suffix.utf8.count)), number < 1 << 62 {
                found.next = max(found.next, number + 1)
            }
            contents.append((file, bytes.count, numbers))
        }
        for (index, content) in contents.enumerated() {
            let waiting = content.numbers.lazy.filter { $0 > found.taken }.count
            if let last = content.numbers.last { found.next = max(found.next, last + 1) }
            let isTooOld = index < contents.count - Self.fileLimit
            // What the broker has is told in a file behind those in which something waits.
            guard waiting > 0 || !found.files.isEmpty, !isTooOld else {
                found.dropped += waiting
                unlink(content.file)
                continue
            }
            let end = content.numbers.last.map { $0 + 1 } ?? found.files.last?.numbers.upperBound ?? 1
            found.files.append(
                SpoolFile(
                    path: content.file, numbers: (content.numbers.first ?? end)..<end, size: content.size,
                    waiting: waiting, disk: disk))
        }
        found.next = max(found.next, found.taken + 1)
        return found
    }

    /// The names of its files, in order.
    private func names() throws(DeviceError) -> [String] {
        guard var entries = FolderEntries(path) else {
            throw FileBytes.failedToRead(path, call: "opendir", errno: errno)
        }
        var names: [String] = []
        while names.count < Self.nameLimit, let name = entries.next() {
            if name.hasSuffix(SpoolFile.suffix) { names.append(name) }
        }
        return names.sorted()
    }

    /// A second descriptor to have the disk keep the names with, for the caller to close; nil when there is none left.
    func descriptorToSync() -> Int32? {
        let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        return copy < 0 ? nil : copy
    }
}
