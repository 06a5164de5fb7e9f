// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The reason why fixes cannot be written to a folder, as a sentence.
package struct TrackLogError: LocalizedError {
    package let errorDescription: String?

    init(_ description: String) { errorDescription = description }
}

/// A folder of log files, 000001.nmea, 000002.nmea and so on, which remains valid after a power failure.
///
/// The names are numbers, not times, because a board may not know the time before its first fix. Files with other names
/// are left unchanged.
package final class TrackLog {
    /// The amount of data to keep, and the amount that a power failure may destroy.
    package struct Policy {
        /// The maximum size of a file, in bytes. A record that would exceed it begins a new file.
        package var fileSize = 1 << 20
        /// The maximum number of files. If there are more, the oldest are removed.
        package var fileCount = 64
        /// The maximum time between syncs, in seconds. 0 syncs each fix to disk, which wears out flash memory. The time
        /// is checked when a fix arrives. To store the last fixes before a silence, call `sync()` at the same interval.
        package var syncInterval = 10.0

        /// Creates a policy with 64 files of one MiB and a sync every ten seconds.
        package init() {}
    }

    /// The last record, which may be from a previous run.
    package private(set) var last: [UInt8] = []
    private static let lastNumber = 999_999
    private let folder: URL
    private let policy: Policy
    private var lock: FolderLock
    private var number = 0
    private var size = 0
    private var file: FileHandle?
    private var lastSync = Date.distantPast
    /// The time of the last record if it is not on disk yet, otherwise nil.
    private var unsynced: Date?

    /// Opens a folder and continues after its last complete record. Creates the folder if it does not exist.
    ///
    /// Throws if another log in this or another program uses the folder.
    package init(folder: URL, policy: Policy = Policy()) throws {
        self.folder = folder
        self.policy = policy
        // Locations are private, so other users have no access.
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        lock = try FolderLock(folder)
        guard let newest = try numbers().last else { return }
        number = newest
        let bytes = [UInt8](try Data(contentsOf: url(newest)))
        let whole = NMEARecord.last(in: bytes)
        // A file without a record may belong to another program. It remains unchanged, and the next file follows it.
        guard bytes.isEmpty || whole != nil else { return }
        let file = try FileHandle(forUpdating: url(newest))
        size = whole?.upperBound ?? 0
        last = whole.map { Array(bytes[$0]) } ?? []
        if size < bytes.count { try file.truncate(atOffset: UInt64(size)) }
        try file.seekToEnd()
        self.file = file
    }

    /// The files, oldest first.
    package var files: [URL] { get throws { try numbers().map(url) } }

    /// Writes a record completely or not at all. Skips a repeated record, such as a receiver's last fix after a
    /// restart.
    package func append(_ record: [UInt8], at time: Date) throws {
        guard record != last else { return }
        if file == nil || size + record.count > policy.fileSize { try rotate() }
        guard let file else { return }
        do {
            try file.write(contentsOf: record)
        } catch {
            // If the disk is full, part of the record may have been written.
            try? file.truncate(atOffset: UInt64(size))
            throw error
        }
        size += record.count
        last = record
        unsynced = time
        // The times of fixes may also go backward.
        if abs(time.timeIntervalSince(lastSync)) >= policy.syncInterval { try sync() }
    }

    /// Waits until all records are on disk. Returns immediately if they already are.
    package func sync() throws {
        guard let unsynced else { return }
        try file?.synchronize()
        (lastSync, self.unsynced) = (unsynced, nil)
    }

    private func rotate() throws {
        try sync()
        try file?.close()
        file = nil
        if !lock.isCurrent {
            lock = try FolderLock(folder)
            number = max(number, try numbers().last ?? 0)
        }
        guard number < Self.lastNumber else {
            throw TrackLogError("\(url(number).lastPathComponent) has the last file number. Use another folder.")
        }
        let next = url(number + 1)
        guard FileManager.default.createFile(atPath: next.path, contents: nil, attributes: [.posixPermissions: 0o600])
        else { throw CocoaError(.fileWriteUnknown, userInfo: [NSFilePathErrorKey: next.path]) }
        file = try FileHandle(forUpdating: next)
        (number, size) = (number + 1, 0)
        for old in try numbers().dropLast(max(1, policy.fileCount)) { try FileManager.default.removeItem(at: url(old)) }
        // The name of a new file is on disk only after its folder has been synced.
        lock.sync()
    }

    private func numbers() throws -> [Int] {
        try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .compactMap { file in
                // Accepts only the names of this log. Other programs use names such as 1.nmea and 20260701.nmea.
                guard let number = Int(file.deletingPathExtension().lastPathComponent),
                    (1...Self.lastNumber).contains(number), file.lastPathComponent == url(number).lastPathComponent
                else { return nil }
                return number
            }.sorted()
    }

    private func url(_ number: Int) -> URL { folder.appendingPathComponent(String(format: "%06d.nmea", number)) }
}
