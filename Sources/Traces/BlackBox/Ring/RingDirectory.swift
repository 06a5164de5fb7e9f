// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import SystemCalls
import Trace

/// The directory that contains the segments of a ring and those left behind by earlier recorders. It stays locked until
/// this object is deinitialized, so that only one recorder at a time uses it.
final class RingDirectory: Sendable {
    /// The segments that an earlier recorder left behind, in ascending order.
    struct LeftoverSegments: Sendable {
        /// The number of the earlier recorder, counted from 1.
        var recorderNumber: Int
        var paths: [String]
    }

    let path: String
    let disk: DiskSynchronizer
    private let mode: mode_t?
    private let descriptor: Int32
    /// The user who owns the files that this recorder creates. Some file servers and file systems assign new files to a
    /// user other than the one who creates them.
    private let owner: uid_t

    /// Creates and locks the directory. Throws an error if the directory is in use by a different recorder or belongs
    /// to a different user. `lockTimeout` is in seconds.
    init(
        _ path: String, mode: mode_t? = nil, disk: DiskSynchronizer = .system, lockTimeout: Double = 1
    ) throws(DeviceError) {
        (self.path, self.disk, self.mode) = (path, disk, mode)
        let isNew = ExclusiveFile.createDirectory(path, for: mode) == 0
        if !isNew, errno != EEXIST { throw FileIO.writeError(path, call: "mkdir", errno: errno) }
        // Do not follow symbolic links, because files in another directory could then be moved or removed.
        descriptor = systemOpen(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else {
            let number = errno
            guard number == ENOTDIR || number == ELOOP else {
                throw FileIO.writeError(path, call: "open", errno: number)
            }
            throw DeviceError(
                .inputOutput,
                "\(path) is a link or a file, but a ring needs its own directory there. Remove it, or choose another location.",
                cause: .system(call: "open", errno: number))
        }
        owner = try Self.secureOwnership(of: descriptor, path, isNew: isNew)
        guard Self.lock(descriptor, lockTimeout) else {
            let number = errno
            throw DeviceError(
                .busy, "Another recorder uses the ring in \(path). Stop it, or choose another location.",
                cause: .system(call: "flock", errno: number))
        }
        if isNew { try disk.syncFolder(ExclusiveFile.split(path).folder) }
    }

    deinit { if descriptor >= 0 { systemClose(descriptor) } }

    /// Acquires the lock. Returns false if another recorder still holds it after the timeout. The wait is necessary
    /// because a killed recorder that has not exited yet, or a child process that inherited the descriptor and has not
    /// called `exec` yet, may hold the lock a moment longer.
    private static func lock(_ descriptor: Int32, _ lockTimeout: Double) -> Bool {
        let end = LiveClock().now.advanced(bySeconds: lockTimeout)
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            guard errno == EWOULDBLOCK || errno == EINTR, LiveClock().now < end else { return false }
            WorkerThread.sleep(seconds: 0.02)
        }
        return true
    }

    /// Revokes write permission from the group and others, and returns the directory's owner. Throws an error if the
    /// directory belongs to a different user.
    private static func secureOwnership(of descriptor: Int32, _ path: String, isNew: Bool) throws(DeviceError) -> uid_t
    {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw FileIO.readError(path, call: "fstat", errno: errno) }
        guard isNew || status.st_uid == geteuid() || status.st_uid == ownerOfNewFile(descriptor) else {
            throw DeviceError(
                .permissionDenied,
                "The directory \(path) belongs to another user (\(status.st_uid)), who may change its contents. Remove it, or choose another location."
            )
        }
        if status.st_mode & 0o022 != 0 { _ = fchmod(descriptor, status.st_mode & 0o7755) }
        return status.st_uid
    }

    /// Returns the owner that the file system assigns to files created by this user, or nil if no file can be created.
    private static func ownerOfNewFile(_ folder: Int32) -> uid_t? {
        let name = ".owner-\(getpid())"
        let file = ExclusiveFile.open(name, in: folder)
        guard file >= 0 else { return nil }
        defer {
            systemClose(file)
            unlinkat(folder, name, 0)
        }
        var status = stat()
        return fstat(file, &status) == 0 ? status.st_uid : nil
    }

    /// Returns the path of a segment, to be shown to the user or passed to ``stablePath(_:)``.
    func segmentPath(_ number: Int, of recorder: Int? = nil) -> String {
        "\(path)/\(RingSegmentName(recorder: recorder, number: number).text)"
    }

    /// Returns a path to the same file that remains valid if the directory is renamed or replaced. If /proc is not
    /// available, returns the given path.
    func stablePath(_ path: String) -> String {
        let folder = "/proc/self/fd/\(descriptor)"
        return access(folder, F_OK) == 0 && path.hasPrefix(self.path) ? folder + path.dropFirst(self.path.count) : path
    }

    func createSegment(_ number: Int) throws(DeviceError) -> TraceOutput {
        let path = segmentPath(number)
        var segment = ExclusiveFile.open(stablePath(path))
        if segment < 0, errno == EEXIST, isLink(RingSegmentName(number: number).text) {
            // The segment's name is taken by a symbolic link, which was created while other users could write to the
            // directory. Removing the link loses no data, because the segments of earlier recorders have already been
            // renamed.
            unlink(stablePath(path))
            segment = ExclusiveFile.open(stablePath(path))
        }
        guard segment >= 0 else { throw FileIO.writeError(path, call: "open", errno: errno) }
        if let mode { _ = fchmod(segment, mode) }
        return TraceOutput(descriptor: segment, name: path, isOwned: true)
    }

    /// Returns the numbers of the current ring's segments in ascending order.
    func numbers() throws(DeviceError) -> [Int] {
        try names().filter { $0.recorderNumber == nil }.map(\.number).sorted()
    }

    /// Returns the segments left behind by earlier recorders, oldest first.
    func leftovers() throws(DeviceError) -> [LeftoverSegments] {
        var numbersByRecorder: [Int: [Int]] = [:]
        for name in try names() {
            if let recorder = name.recorderNumber { numbersByRecorder[recorder, default: []].append(name.number) }
        }
        return numbersByRecorder.sorted { $0.key < $1.key }.map { recorder, numbers in
            LeftoverSegments(
                recorderNumber: recorder, paths: numbers.sorted().map { segmentPath($0, of: recorder) })
        }
    }

    /// Renames the existing segments to mark them as leftovers of an earlier recorder, so that a new ring can begin.
    func renameAsLeftovers() throws(DeviceError) {
        let numbers = try numbers()
        guard !numbers.isEmpty else { return }
        let recorder = (try leftovers().last?.recorderNumber ?? 0) + 1
        for number in numbers {
            let (old, new) = (segmentPath(number), segmentPath(number, of: recorder))
            guard rename(stablePath(old), stablePath(new)) == 0 else {
                throw FileIO.writeError(old, call: "rename", errno: errno)
            }
        }
        try sync()
    }

    private func names() throws(DeviceError) -> [RingSegmentName] {
        guard var entries = DirectoryEntries(stablePath(path)) else {
            throw FileIO.readError(path, call: "opendir", errno: errno)
        }
        var names: [RingSegmentName] = []
        while let entry = entries.next() {
            guard let name = RingSegmentName(entry), !isLink(entry) else { continue }
            try checkOwner(of: entry)
            names.append(name)
        }
        guard entries.failure == 0 else { throw FileIO.readError(path, call: "readdir", errno: entries.failure) }
        return names
    }

    private func isLink(_ name: String) -> Bool {
        var status = stat()
        return fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 && status.st_mode & S_IFMT == S_IFLNK
    }

    /// Throws an error if a segment belongs to a different user, as can happen after its owner has been changed.
    private func checkOwner(of name: String) throws(DeviceError) {
        var status = stat()
        guard fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0, status.st_uid != owner else { return }
        throw DeviceError(
            .permissionDenied,
            "\(path)/\(name) belongs to another user (\(status.st_uid)). Give it to the recording user (chown), or move it away."
        )
    }

    func remove(_ number: Int) throws(DeviceError) { try remove(segmentPath(number)) }

    /// A missing file is not an error.
    func remove(_ path: String) throws(DeviceError) {
        guard unlink(stablePath(path)) != 0, errno != ENOENT else { return }
        let number = errno
        throw DeviceError(
            .inputOutput,
            "\(path) cannot be removed. Check its type and the permissions of its directory.",
            cause: .system(call: "unlink", errno: number))
    }

    func sync() throws(DeviceError) { try disk.sync(.directory(path), descriptor) }
    func removeIfEmpty() { rmdir(path) }
}
