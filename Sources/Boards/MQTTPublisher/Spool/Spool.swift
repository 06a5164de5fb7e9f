// SPDX-License-Identifier: Apache-2.0

import SystemCalls

/// A spool's capacity. A full spool drops its oldest records.
struct SpoolLimits: Sendable {
    /// The maximum number of records on disk.
    var records = 100_000
    /// The maximum size on disk, in bytes.
    var bytes = 16 << 20
    /// The size at which a new file is started, in bytes. Records on disk are dropped one file at a time.
    var fileBytes = 64 << 10
    /// The maximum number of records in memory. Records are kept in memory if there is no directory or the disk is not
    /// writable.
    var memoryRecords = 10_000
    /// The maximum size in memory, in bytes.
    var memoryBytes = 4 << 20
}

/// A persistent queue of messages for the broker. Messages are stored on disk if there is a writable directory, and in
/// memory otherwise. A message remains in the queue until it is acknowledged. Messages on disk are kept for the next
/// run. Not thread-safe; `PublisherLoop` uses it with its lock held.
final class Spool {
    /// The directory, or nil if all records are kept in memory or the spool is closed.
    private var folder: SpoolFolder?
    private let limits: SpoolLimits
    private let disk: SpoolFileSystem
    /// The files, oldest first. If the last file is open, lines are appended to it.
    private var files: [SpoolFile] = []
    /// True if a file has been created since the directory was last synced.
    private var hasNewFile = false
    /// The records that are not on disk. They are newer than those on disk.
    private var memory = SpoolMemory()
    /// All records up to this number have been acknowledged or dropped.
    private var acknowledged: UInt64 = 0
    private var nextNumber: UInt64 = 1
    private var reader = SpoolReader()
    /// The number of acknowledged records on disk whose acknowledgement has not yet been written to disk, at most 15.
    /// If the program ended now, the next run would send these records again.
    private var unwrittenAcknowledgements = 0
    /// The first disk error not yet cleared, or nil. The error is cleared once a record has been written again and the
    /// queue is empty.
    private(set) var failure: DeviceError?
    /// False after a disk error, until the next record has been written.
    private var hasWritten = true
    private(set) var dropped = 0
    /// The record number of the last position appended.
    private(set) var lastPosition: UInt64 = 0

    /// Creates a spool with the records from a previous run. Without a directory, all records are kept in memory.
    init(folder path: String?, limits: SpoolLimits = SpoolLimits(), disk: SpoolFileSystem = SpoolFileSystem())
        throws(DeviceError)
    {
        (self.limits, self.disk) = (limits, disk)
        folder = try path.map { path throws(DeviceError) in try SpoolFolder(path) }
        guard let folder else { return }
        let stored = try folder.readStoredRecords(disk)
        (files, acknowledged, nextNumber) = (stored.files, stored.acknowledged, stored.next)
        (dropped, lastPosition) = (stored.dropped, stored.lastPosition)
        enforceLimits()
    }

    /// The number of queued records, including those sent but not yet acknowledged.
    var count: Int { files.reduce(memory.count) { $0 + $1.unacknowledgedCount } }
    var bytesOnDisk: Int { files.reduce(0) { $0 + $1.size } }
    var isAllOnDisk: Bool { folder != nil && memory.count == 0 }

    /// Returns a duplicate descriptor, which the caller must sync and close, or nil if there is nothing to sync.
    func duplicateToSync() -> Int32? {
        for file in files { if let descriptor = file.duplicateToSync() { return descriptor } }
        guard hasNewFile, let descriptor = folder?.duplicateToSync() else { return nil }
        hasNewFile = false
        return descriptor
    }

    private var current: SpoolFile? { files.last.flatMap { $0.isOpen ? $0 : nil } }

    // MARK: Writing

    /// Appends a message. Returns false if the message is too long or cannot be encoded as a line.
    @discardableResult func append(_ kind: SpoolRecord.Kind, topic: String, payload: [UInt8]) -> Bool {
        let record = SpoolRecord(number: nextNumber, kind: kind, topic: topic, payload: payload)
        let line = SpoolLine.record(record).bytes
        guard line.count <= SpoolLine.limit, !payload.contains(UInt8(ascii: "\n")), !topic.contains(" ") else {
            return false
        }
        nextNumber += 1
        if kind == .position { lastPosition = record.number }
        memory.append(record)
        if folder != nil { moveToDisk(newest: line) }
        // If the memory limit is exceeded, drops the oldest records in memory. The records on disk are older, but use
        // no memory, so they are kept.
        while memory.count > limits.memoryRecords || memory.bytes > limits.memoryBytes, memory.removeFirst() != nil {
            dropped += 1
        }
        return true
    }

    /// Writes the records in memory to disk. `newest` is the newest record's encoded line, if available.
    private func moveToDisk(newest: [UInt8]? = nil) {
        while let record = memory.first {
            let line = (memory.count == 1 ? newest : nil) ?? SpoolLine.record(record).bytes
            do throws(DeviceError) {
                try write(line, of: record.number)
                hasWritten = true
                memory.removeFirst()
            } catch {
                recordFailure(error)
                return
            }
        }
    }

    private func recordFailure(_ error: DeviceError) {
        hasWritten = false
        if failure == nil { failure = error }
    }

    private func write(_ line: [UInt8], of number: UInt64) throws(DeviceError) {
        while true {
            let file = try fileToWrite(number)
            guard let problem = file.append(line, record: number) else { break }
            // If the disk is full, drops the oldest records. The records in the current file are kept.
            let isFull = problem == ENOSPC || problem == EDQUOT || problem == EFBIG
            let error = FileIO.writeError(
                file.path, call: "write", errno: problem, locationHint: "choose another spool directory")
            guard isFull, files.count > 1 else { throw error }
            recordFailure(error)
            dropOldest()
        }
        enforceLimits()
    }

    private func fileToWrite(_ number: UInt64) throws(DeviceError) -> SpoolFile {
        if let file = current, file.size < limits.fileBytes || file.numbers.isEmpty { return file }
        // If the last file contains no queued records, the new file may need the same name, so the last file is removed
        // first.
        if let last = files.last, last.unacknowledgedCount == 0, last.size == 0 || last.numbers.lowerBound == number {
            last.remove()
            files.removeLast()
        }
        while true {
            do throws(DeviceError) {
                return try newFile(number)
            } catch {
                guard case .system(_, ENOSPC)? = error.cause, files.count > 1 else { throw error }
                recordFailure(error)
                dropOldest()
            }
        }
    }

    private func newFile(_ number: UInt64) throws(DeviceError) -> SpoolFile {
        guard let folder else { throw DeviceError(.notFound, "There is no spool directory.") }
        let file = try SpoolFile(in: folder.path, from: number, disk: disk)
        files.append(file)
        hasNewFile = true
        return file
    }

    private func enforceLimits() {
        while files.count > 1, count - memory.count > limits.records || bytesOnDisk > limits.bytes { dropOldest() }
    }

    private func dropOldest() {
        guard let file = files.first, files.count > 1 else { return }
        drop(file)
        acknowledged = max(acknowledged, file.numbers.upperBound - 1)
    }

    private func drop(_ file: SpoolFile) {
        files.removeAll { $0 === file }
        file.remove()
        reader.reset(ifReading: file)
        dropped += file.unacknowledgedCount
    }

    // MARK: Reading

    /// Returns the next unread record, or nil if there is none. ``rewind()`` makes all queued records unread again.
    func next() -> SpoolRecord? {
        while true {
            do throws(DeviceError) {
                if let record = try reader.next(in: files, after: acknowledged) { return record }
                break
            } catch {
                recordFailure(error)
                // If descriptors or memory are temporarily unavailable, the file is kept and reread later. After any
                // other error, its records are dropped.
                guard let file = reader.file, case .system(_, let number)? = error.cause,
                    ![EMFILE, ENFILE, ENOMEM].contains(number)
                else { return nil }
                drop(file)
            }
        }
        guard let record = memory.first(after: max(acknowledged, reader.number)) else { return nil }
        reader.advance(to: record.number)
        return record
    }

    /// Restarts reading at the oldest queued record. Messages sent but not acknowledged may have been lost, so they are
    /// sent again.
    func rewind() {
        reader = SpoolReader()
        writeAcknowledgement()
    }

    /// Removes a record acknowledged by the broker. Must be called for every record, in ascending order.
    func acknowledge(_ number: UInt64) {
        guard number > acknowledged else { return }
        acknowledged = number
        defer { if hasWritten, failure != nil, count == 0 { failure = nil } }
        if memory.remove(number) { return }
        while let file = files.first, file.numbers.upperBound <= number, file !== current {
            files.removeFirst()
            file.remove()
            reader.reset(ifReading: file)
        }
        guard let file = files.first, file.numbers.contains(number) else { return }
        file.unacknowledgedCount -= 1
        unwrittenAcknowledgements += 1
        guard file.unacknowledgedCount == 0 else {
            if unwrittenAcknowledgements >= 16 { writeAcknowledgement() }
            return
        }
        unwrittenAcknowledgements = 0
        reader.reset(ifReading: file)
        if file === current, file.truncate() { return }
        files.removeFirst()
        file.remove()
    }

    /// Writes the last acknowledged record's number to disk for the next run.
    private func writeAcknowledgement() {
        guard unwrittenAcknowledgements > 0 else { return }
        unwrittenAcknowledgements = 0
        // If the line cannot be written, the next run resends some messages, which QoS 1 permits.
        guard let file = current ?? (try? newFile(nextNumber)) else { return }
        _ = file.append(SpoolLine.acknowledged(through: acknowledged).bytes)
    }

    /// If there is a directory, writes all records to it for the next run, and then unlocks it. Records that cannot be
    /// written are lost.
    func close() {
        if folder != nil {
            moveToDisk()
            dropped += memory.count
            memory = SpoolMemory()
        }
        writeAcknowledgement()
        if files.allSatisfy({ $0.unacknowledgedCount == 0 }) {
            for file in files { file.remove() }
            files = []
        }
        folder = nil
    }
}
