// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Why a folder takes no fixes, in a sentence.
package struct TrackLogError: LocalizedError {
    package let errorDescription: String?

    init(_ description: String) { errorDescription = description }
}

/// A folder of log files that is good after every power cut: 000001.nmea, 000002.nmea and so on.
///
/// The names are numbers and not times, for a board may have no clock before its first fix. Files of other names are left
/// alone.
package final class TrackLog {
    /// How much is kept, and how much may be lost.
    package struct Policy {
        /// A file that would grow beyond it is followed by a new one.
        package var fileSize = 1 << 20
        /// The oldest files beyond that many are removed.
        package var fileCount = 64
        /// Seconds of fixes that a power cut may cost. 0 waits for the disk at each fix, which wears out flash memory. It is
        /// looked at when a fix comes: for the last ones before a silence, call `sync()` as often, too.
        package var syncInterval = 10.0

        /// A file a megabyte, 64 of them, and ten seconds.
        package init() {}
    }

    /// The last record, also that of the run before.
    package private(set) var last: [UInt8] = []
    private static let lastNumber = 999_999
    private let folder: URL
    private let policy: Policy
    private var lock: FolderLock
    private var number = 0
    private var size = 0
    private var file: FileHandle?
    private var lastSync = Date.distantPast
    /// When the last record that is not on the disk was made.
    private var unsynced: Date?

    /// Opens a folder, which is made where it is not there, and goes on behind its last whole record.
    ///
    /// Throws when another log has the folder, in this program or in another.
    package init(folder: URL, policy: Policy = Policy()) throws {
        self.folder = folder
        self.policy = policy
        // Where somebody was is nobody else's business.
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        lock = try FolderLock(folder)
        guard let newest = try numbers().last else { return }
        number = newest
        let bytes = [UInt8](try Data(contentsOf: url(newest)))
        let whole = NMEARecord.last(in: bytes)
        // What has no record may be another program's. It stays as it is, and the next file follows.
        guard bytes.isEmpty || whole != nil else { return }
        let file = try FileHandle(forUpdating: url(newest))
        size = whole?.upperBound ?? 0
        last = whole.map { Array(bytes[$0]) } ?? []
        if size < bytes.count { try file.truncate(atOffset: UInt64(size)) }
        try file.seekToEnd()
        self.file = file
    }

    /// The files, the oldest first.
    package var files: [URL] { get throws { try numbers().map(url) } }

    /// Writes a record, whole or not at all. One that is there already, as a receiver's last fix after a restart, is left out.
    package func append(_ record: [UInt8], at time: Date) throws {
        guard record != last else { return }
        if file == nil || size + record.count > policy.fileSize { try rotate() }
        guard let file else { return }
        do {
            try file.write(contentsOf: record)
        } catch {
            // A full disk may have taken a part of it.
            try? file.truncate(atOffset: UInt64(size))
            throw error
        }
        size += record.count
        last = record
        unsynced = time
        // The time of fixes may go back, too.
        if abs(time.timeIntervalSince(lastSync)) >= policy.syncInterval { try sync() }
    }

    /// Waits until all is on the disk. It costs nothing when it is there already.
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
            throw TrackLogError("There is no number left behind \(url(number).lastPathComponent).")
        }
        let next = url(number + 1)
        guard FileManager.default.createFile(atPath: next.path, contents: nil, attributes: [.posixPermissions: 0o600])
        else { throw CocoaError(.fileWriteUnknown, userInfo: [NSFilePathErrorKey: next.path]) }
        file = try FileHandle(forUpdating: next)
        (number, size) = (number + 1, 0)
        for old in try numbers().dropLast(max(1, policy.fileCount)) { try FileManager.default.removeItem(at: url(old)) }
        // A new name is on the disk only once its folder is.
        lock.sync()
    }

    private func numbers() throws -> [Int] {
        try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .compactMap { file in
                // Only names of this log: 1.nmea and 20260701.nmea are others'.
                guard let number = Int(file.deletingPathExtension().lastPathComponent),
                    (1...Self.lastNumber).contains(number), file.lastPathComponent == url(number).lastPathComponent
                else { return nil }
                return number
            }.sorted()
    }

    private func url(_ number: Int) -> URL { folder.appendingPathComponent(String(format: "%06d.nmea", number)) }
}
