// SPDX-License-Identifier: Apache-2.0

import SystemCalls

/// How much a spool holds. Beyond it the oldest make way.
struct SpoolLimits: Sendable {
    /// On the disk.
    var records = 100_000
    var bytes = 16 << 20
    /// Of one file: so much is given up at a time.
    var fileBytes = 64 << 10
    /// In memory, without a folder or while the disk takes nothing.
    var memoryRecords = 10_000
    var memoryBytes = 4 << 20
}

/// Messages that wait for the broker, in order: on the disk where there is a folder, and in memory what the disk does not
/// take. What was appended is read again until it was acknowledged, by the next run too.
final class Spool {
    /// Nil without one, and at the end.
    private var folder: SpoolFolder?
    private let limits: SpoolLimits
    private let disk: SpoolDisk
    /// Oldest first; the last one is written while it is open.
    private var files: [SpoolFile] = []
    /// A file was made whose name the disk may not have yet.
    private var hasNewFile = false
    /// Newer than all on the disk.
    private var memory = SpoolMemory()
    /// All up to this number are with the broker, or given up.
    private var taken: UInt64 = 0
    private var nextNumber: UInt64 = 1
    private var reader = SpoolReader()
    /// How many the broker has taken since the disk was told of it.
    private var untold = 0

    /// What went wrong with the disk, until it takes lines again and nothing waits any more. What could not be read is
    /// dropped, unless it may be read later.
    private(set) var failure: DeviceError?
    private var hasWritten = true
    /// Records that were given up because there was no room.
    private(set) var dropped = 0
    /// The last position that was appended.
    private(set) var lastPosition: UInt64 = 0

    /// Takes up what a former run left in the folder; without a folder all is in memory.
    init(folder path: String?, limits: SpoolLimits = SpoolLimits(), disk: SpoolDisk = SpoolDisk()) throws(DeviceError) {
        (self.limits, self.disk) = (limits, disk)
        folder = try path.map { path throws(DeviceError) in try SpoolFolder(path) }
        guard let folder else { return }
        let leftovers = try folder.leftovers(disk)
        (files, taken, nextNumber) = (leftovers.files, leftovers.taken, leftovers.next)
        (dropped, lastPosition) = (leftovers.dropped, leftovers.lastPosition)
        makeWay()
    }

    /// How many wait, sent or not.
    var count: Int { files.reduce(memory.count) { $0 + $1.waiting } }

    /// Their bytes on the disk.
    var bytesOnDisk: Int { files.reduce(0) { $0 + $1.size } }

    /// True when what waits outlives this run.
    var isAllOnDisk: Bool { folder != nil && memory.count == 0 }

    /// The next of what the disk may not have yet, for ``SpoolDisk/sync`` and for the caller to close; nil when it has all.
    func descriptorToSync() -> Int32? {
        for file in files { if let descriptor = file.descriptorToSync() { return descriptor } }
        guard hasNewFile, let descriptor = folder?.descriptorToSync() else { return nil }
        hasNewFile = false
        return descriptor
    }

    /// The file that lines go to.
    private var current: SpoolFile? { files.last.flatMap { $0.isOpen ? $0 : nil } }

    // MARK: In

    /// Appends a message; false when it is longer than any may be.
    @discardableResult
    func append(_ kind: SpoolRecord.Kind, topic: String, payload: [UInt8]) -> Bool {
        let record = SpoolRecord(number: nextNumber, kind: kind, topic: topic, payload: payload)
        let line = SpoolLine.record(record).bytes
        guard line.count <= SpoolLine.limit, !payload.contains(UInt8(ascii: "\n")), !topic.contains(" ") else {
            return false
        }
        nextNumber += 1
        if kind == .position { lastPosition = record.number }
        memory.append(record)
        if folder != nil { moveToDisk(newest: line) }
        // What is older and on the disk stays: it takes no memory.
        while memory.count > limits.memoryRecords || memory.bytes > limits.memoryBytes, memory.removeFirst() != nil {
            dropped += 1
        }
        return true
    }

    /// Writes all that is in memory, the newest of which is that line.
    private func moveToDisk(newest: [UInt8]? = nil) {
        while let record = memory.first {
            let line = (memory.count == 1 ? newest : nil) ?? SpoolLine.record(record).bytes
            do throws(DeviceError) {
                try write(line, of: record.number)
                hasWritten = true
                memory.removeFirst()
            } catch {
                note(error)
                return
            }
        }
    }

    private func note(_ error: DeviceError) {
        hasWritten = false
        if failure == nil { failure = error }
    }

    private func write(_ line: [UInt8], of number: UInt64) throws(DeviceError) {
        while true {
            let file = try fileToWrite(number)
            guard let problem = file.append(line, record: number) else { break }
            // The oldest make way for the newest, but for the file that is being written.
            let isFull = problem == ENOSPC || problem == EDQUOT || problem == EFBIG
            let error = FileBytes.failedToWrite(
                file.path, call: "write", errno: problem, elsewhere: "choose another spool folder")
            guard isFull, files.count > 1 else { throw error }
            note(error)
            dropOldest()
        }
        makeWay()
    }

    private func fileToWrite(_ number: UInt64) throws(DeviceError) -> SpoolFile {
        if let file = current, file.size < limits.fileBytes || file.numbers.isEmpty { return file }
        // One that was closed before it had anything is of no use, and may have the name that the next one needs.
        if let last = files.last, last.waiting == 0, last.size == 0 || last.numbers.lowerBound == number {
            last.remove()
            files.removeLast()
        }
        while true {
            do throws(DeviceError) {
                return try newFile(number)
            } catch {
                guard case .system(_, ENOSPC)? = error.cause, files.count > 1 else { throw error }
                note(error)
                dropOldest()
            }
        }
    }

    private func newFile(_ number: UInt64) throws(DeviceError) -> SpoolFile {
        guard let folder else { throw DeviceError(.notFound, "There is no spool folder.") }
        let file = try SpoolFile(in: folder.path, from: number, disk: disk)
        files.append(file)
        hasNewFile = true
        return file
    }

    private func makeWay() {
        while files.count > 1, count - memory.count > limits.records || bytesOnDisk > limits.bytes { dropOldest() }
    }

    private func dropOldest() {
        guard let file = files.first, files.count > 1 else { return }
        drop(file)
        taken = max(taken, file.numbers.upperBound - 1)
    }

    private func drop(_ file: SpoolFile) {
        files.removeAll { $0 === file }
        file.remove()
        reader.left(file)
        dropped += file.waiting
    }

    // MARK: Out

    /// The next record that has not been read since ``rewind()``; nil when there is none.
    func next() -> SpoolRecord? {
        while true {
            do throws(DeviceError) {
                if let record = try reader.next(in: files, after: taken) { return record }
                break
            } catch {
                note(error)
                // For want of a descriptor nothing is lost.
                guard let file = reader.file, case .system(_, let number)? = error.cause,
                    ![EMFILE, ENFILE, ENOMEM].contains(number)
                else { return nil }
                drop(file)
            }
        }
        guard let record = memory.first(after: max(taken, reader.number)) else { return nil }
        reader.passed(record.number)
        return record
    }

    /// Begins again with the oldest that waits: what was sent may be lost.
    func rewind() {
        reader = SpoolReader()
        tellDisk()
    }

    /// The broker has the record of that number, and all before it.
    func acknowledge(_ number: UInt64) {
        guard number > taken else { return }
        taken = number
        defer { if hasWritten, failure != nil, count == 0 { failure = nil } }
        if memory.remove(number) { return }
        // Most of the time there is one file, and one record in it.
        while let file = files.first, file.numbers.upperBound <= number, file !== current {
            files.removeFirst()
            file.remove()
            reader.left(file)
        }
        guard let file = files.first, file.numbers.contains(number) else {
            return
        }
        file.waiting -= 1
        untold += 1
        guard file.waiting == 0 else {
            if untold >= 16 { tellDisk() }
            return
        }
        untold = 0
        reader.left(file)
        if file === current, file.empty() { return }
        files.removeFirst()
        file.remove()
    }

    /// Tells the next run what the broker has.
    private func tellDisk() {
        guard untold > 0 else { return }
        untold = 0
        // Without it the next run sends some twice, which is no error.
        guard let file = current ?? (try? newFile(nextNumber)) else { return }
        _ = file.append(SpoolLine.taken(through: taken).bytes)
    }

    /// Leaves the disk as the next run needs it, which may take the folder now. What the disk does not take is lost.
    func close() {
        if folder != nil {
            moveToDisk()
            dropped += memory.count
            memory = SpoolMemory()
        }
        tellDisk()
        if files.allSatisfy({ $0.waiting == 0 }) {
            for file in files { file.remove() }
            files = []
        }
        folder = nil
    }
}
