// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import SystemCalls

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
    private let descriptor: Int32

    /// Makes the folder unless it is there, and takes it. The error says that another recorder has it, or why it cannot be
    /// made.
    init(_ path: String, disk: RingDisk = .system) throws(DeviceError) {
        self.path = path
        self.disk = disk
        let isNew = mkdir(path, 0o755) == 0
        if !isNew, errno != EEXIST { throw FileBytes.failedToWrite(path, call: "mkdir", errno: errno) }
        descriptor = systemOpen(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileBytes.failedToWrite(path, call: "open", errno: errno) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let number = errno
            throw DeviceError(
                .busy, "Another recorder keeps its ring in \(path). End it, or record to another place.",
                cause: .system(call: "flock", errno: number))
        }
        if isNew { try disk.syncFolder(RingDisk.folder(of: path)) }
    }

    deinit {
        if descriptor >= 0 { systemClose(descriptor) }
    }

    /// The path of a segment.
    func file(_ number: Int) -> String { "\(path)/\(RingName(number: number).text)" }

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
            guard rename(old, new) == 0 else { throw FileBytes.failedToWrite(old, call: "rename", errno: errno) }
        }
        try sync()
    }

    private func names() throws(DeviceError) -> [RingName] {
        guard var entries = FolderEntries(path) else {
            throw FileBytes.failedToRead(path, call: "opendir", errno: errno)
        }
        var names: [RingName] = []
        while let entry = entries.next() { if let name = RingName(entry) { names.append(name) } }
        guard entries.failure == 0 else {
            throw FileBytes.failedToRead(path, call: "readdir", errno: entries.failure)
        }
        return names
    }

    /// Removes a segment; one that is gone already is no failure.
    func remove(_ number: Int) throws(DeviceError) { try Self.remove(file(number)) }

    /// Removes a file; one that is gone already is no failure.
    static func remove(_ path: String) throws(DeviceError) {
        guard unlink(path) != 0, errno != ENOENT else { return }
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
