// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import SystemCalls
import Trace

/// The folder of a ring's segments, and of those that former recorders have left behind. One process has it at a time.
final class RingFolder: Sendable {
    /// The segments of a recorder that was killed, in their order.
    struct Former: Sendable {
        /// Counted from 1.
        var number: Int
        var paths: [String]
    }

    let path: String
    let disk: RingDisk
    private let mode: mode_t?
    private let descriptor: Int32
    /// Whose files are our own here: some file systems have one owner for all, and some servers another one.
    private let owner: uid_t

    /// Makes the folder unless it is there, and takes it. The error says that another recorder has it, that it is somebody
    /// else's, or why it cannot be made.
    ///
    /// - Parameters:
    ///   - mode: the permissions of the segments; nil for ``SystemCalls/NewFile/privateMode``.
    ///   - patience: seconds in which whoever has the folder may let it go.
    init(
        _ path: String, mode: mode_t? = nil, disk: RingDisk = .system, patience: Double = 1
    ) throws(DeviceError) {
        self.path = path
        self.disk = disk
        self.mode = mode
        let isNew = NewFile.makeFolder(path, for: mode) == 0
        if !isNew, errno != EEXIST { throw FileBytes.failedToWrite(path, call: "mkdir", errno: errno) }
        // A link would have another folder's files moved and removed.
        descriptor = systemOpen(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else {
            let number = errno
            guard number == ENOTDIR || number == ELOOP else {
                throw FileBytes.failedToWrite(path, call: "open", errno: number)
            }
            throw DeviceError(
                .inputOutput,
                "\(path) is a link or a file, and a ring needs a folder of its own there. Remove it, or record to another place.",
                cause: .system(call: "open", errno: number))
        }
        owner = try Self.takeAsOwn(descriptor, path, isNew: isNew)
        guard Self.lock(descriptor, patience) else {
            let number = errno
            throw DeviceError(
                .busy, "Another recorder keeps its ring in \(path). End it, or record to another place.",
                cause: .system(call: "flock", errno: number))
        }
        if isNew { try disk.syncFolder(NewFile.split(path).folder) }
    }

    deinit {
        if descriptor >= 0 { systemClose(descriptor) }
    }

    /// False when another recorder has the folder. A program that somebody is just starting has what he had open, too, until
    /// it begins, and a recorder that was killed until it is gone: so much is waited for.
    private static func lock(_ descriptor: Int32, _ patience: Double) -> Bool {
        let end = LiveClock().now.advanced(bySeconds: patience)
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            guard errno == EWOULDBLOCK || errno == EINTR, LiveClock().now < end else { return false }
            WorkerThread.pause(seconds: 0.02)
        }
        return true
    }

    /// The error says that the folder belongs to somebody else. Others may not write into it from here on.
    private static func takeAsOwn(
        _ descriptor: Int32, _ path: String, isNew: Bool
    ) throws(DeviceError) -> uid_t {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw FileBytes.failedToRead(path, call: "fstat", errno: errno) }
        guard isNew || status.st_uid == geteuid() || status.st_uid == ownerOfNewFile(descriptor) else {
            throw DeviceError(
                .permissionDenied,
                "The folder \(path) belongs to another user (\(status.st_uid)), who may put anything there. Remove it, or record to another place."
            )
        }
        if status.st_mode & 0o022 != 0 { _ = fchmod(descriptor, status.st_mode & 0o7755) }
        return status.st_uid
    }

    /// Whom the file system says that a file belongs to that this user makes there.
    private static func ownerOfNewFile(_ folder: Int32) -> uid_t? {
        let name = ".owner-\(getpid())"
        let file = NewFile.open(name, in: folder)
        guard file >= 0 else { return nil }
        defer {
            systemClose(file)
            unlinkat(folder, name, 0)
        }
        var status = stat()
        return fstat(file, &status) == 0 ? status.st_uid : nil
    }

    /// The path of a segment, for people.
    func file(_ number: Int) -> String { "\(path)/\(RingName(number: number).text)" }

    /// The way to a file of this folder that stays the same when somebody gives the folder's name to another one.
    func reached(_ path: String) -> String {
        let folder = "/proc/self/fd/\(descriptor)"
        return access(folder, F_OK) == 0 && path.hasPrefix(self.path) ? folder + path.dropFirst(self.path.count) : path
    }

    /// Makes a segment.
    func make(_ number: Int) throws(DeviceError) -> TraceOutput {
        let path = file(number)
        var segment = NewFile.open(reached(path))
        if segment < 0, errno == EEXIST, isLink(RingName(number: number).text) {
            // Put here while others could: what was recorded here has been set aside.
            unlink(reached(path))
            segment = NewFile.open(reached(path))
        }
        guard segment >= 0 else { throw FileBytes.failedToWrite(path, call: "open", errno: errno) }
        if let mode { _ = fchmod(segment, mode) }
        return TraceOutput(descriptor: segment, name: path, isOwned: true)
    }

    /// The numbers of the segments that are there, rising. The error says that nobody knows.
    func numbers() throws(DeviceError) -> [Int] { try names().filter { $0.former == nil }.map(\.number).sorted() }

    /// What former recorders have left behind, oldest first.
    func formers() throws(DeviceError) -> [Former] {
        var formers: [Int: [Int]] = [:]
        for name in try names() { if let former = name.former { formers[former, default: []].append(name.number) } }
        return formers.sorted { $0.key < $1.key }.map { former, numbers in
            Former(
                number: former,
                paths: numbers.sorted().map { "\(path)/\(RingName(former: former, number: $0).text)" })
        }
    }

    /// Makes room for a new ring without moving a byte: the segments that are there get names as a former recorder's.
    func setAside() throws(DeviceError) {
        let numbers = try numbers()
        guard !numbers.isEmpty else { return }
        let former = (try formers().last?.number ?? 0) + 1
        for number in numbers {
            let (old, new) = (file(number), "\(path)/\(RingName(former: former, number: number).text)")
            guard rename(reached(old), reached(new)) == 0 else {
                throw FileBytes.failedToWrite(old, call: "rename", errno: errno)
            }
        }
        try sync()
    }

    private func names() throws(DeviceError) -> [RingName] {
        guard var entries = FolderEntries(reached(path)) else {
            throw FileBytes.failedToRead(path, call: "opendir", errno: errno)
        }
        var names: [RingName] = []
        while let entry = entries.next() {
            guard let name = RingName(entry), !isLink(entry) else { continue }
            try checkOwner(of: entry)
            names.append(name)
        }
        guard entries.failure == 0 else {
            throw FileBytes.failedToRead(path, call: "readdir", errno: entries.failure)
        }
        return names
    }

    /// True for what was put here while others could.
    private func isLink(_ name: String) -> Bool {
        var status = stat()
        return fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 && status.st_mode & S_IFMT == S_IFLNK
    }

    /// What another user has recorded here is neither read nor removed: perhaps the folder was given to this one since.
    private func checkOwner(of name: String) throws(DeviceError) {
        var status = stat()
        guard fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0, status.st_uid != owner else { return }
        throw DeviceError(
            .permissionDenied,
            "\(path)/\(name) belongs to another user (\(status.st_uid)). Give it to the one who records (chown), or move it away."
        )
    }

    /// Removes a segment; one that is gone already is no failure.
    func remove(_ number: Int) throws(DeviceError) { try remove(file(number)) }

    /// Removes a file of this folder; one that is gone already is no failure.
    func remove(_ path: String) throws(DeviceError) { try Self.remove(path, reached: reached(path)) }

    /// Removes a file; one that is gone already is no failure.
    static func remove(_ path: String, reached: String? = nil) throws(DeviceError) {
        guard unlink(reached ?? path) != 0, errno != ENOENT else { return }
        let number = errno
        throw DeviceError(
            .inputOutput,
            "\(path) cannot be removed. Look at what it is, and at who may write its folder.",
            cause: .system(call: "unlink", errno: number))
    }

    /// Has new and removed names reach the disk.
    func sync() throws(DeviceError) { try disk.sync(.folder(path), descriptor) }

    /// Removes the folder when nothing is in it any more.
    func removeIfEmpty() { rmdir(path) }
}
