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
    /// Oldest first; the last one is written when it is of this run.
    private var files: [SpoolFile] = []
    private var isWritable = false
    /// Newer than all on the disk.
    private var memory = SpoolMemory()
    /// All up to this number are with the broker, or given up.
    private var taken: UInt64 = 0
    private var nextNumber: UInt64 = 1
    private var reader = SpoolReader()
    /// How many the broker has taken since the disk was told of it.
    private var untold = 0

    /// What went wrong with the disk, until it takes lines again and nothing waits any more.
    private(set) var failure: DeviceError?
    private var hasWritten = true
    /// Records that were given up because there was no room.
    private(set) var dropped = 0
    /// Lines of a former run that could not be read.
    private(set) var damaged = 0
    /// The last position that was appended.
    private(set) var lastPosition: UInt64 = 0

    /// Takes up what a former run left in the folder; without a folder all is in memory.
    init(folder path: String?, limits: SpoolLimits = SpoolLimits(), disk: SpoolDisk = SpoolDisk()) throws(DeviceError) {
        (self.limits, self.disk) = (limits, disk)
        folder = try path.map { path throws(DeviceError) in try SpoolFolder(path) }
        guard let folder else { return }
        let leftovers = try folder.leftovers()
        (files, taken, nextNumber) = (leftovers.files, leftovers.taken, leftovers.next)
        (damaged, lastPosition) = (leftovers.damaged, leftovers.lastPosition)
        makeWay()
    }

    /// How many wait, sent or not.
    var count: Int { files.reduce(memory.count) { $0 + $1.waiting } }

    /// Their bytes on the disk.
    var bytesOnDisk: Int { files.reduce(0) { $0 + $1.size } }

    /// What was left to be read and could not be any more, as a descriptor for fdatasync(2); below zero for none.
    func descriptorToSync() -> Int32 { isWritable ? files.last?.descriptorToSync() ?? -1 : -1 }

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
    private func moveToDisk(newest: [UInt8]) {
        while let record = memory.first {
            let line = memory.count == 1 ? newest : SpoolLine.record(record).bytes
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
        if isWritable, let last = files.last, last.size < limits.fileBytes { return last }
        guard let folder else { throw DeviceError(.notFound, "There is no spool folder.") }
        while true {
            do throws(DeviceError) {
                let file = try SpoolFile(in: folder.path, from: number, disk: disk)
                if isWritable, let last = files.last, last.waiting == 0 {
                    last.remove()
                    files.removeLast()
                }
                files.append(file)
                isWritable = true
                return file
            } catch {
                guard case .system(_, ENOSPC)? = error.cause, files.count > 1 else { throw error }
                note(error)
                dropOldest()
            }
        }
    }

    private func makeWay() {
        while files.count > 1, count - memory.count > limits.records || bytesOnDisk > limits.bytes { dropOldest() }
    }

    private func dropOldest() {
        guard let file = files.first, files.count > 1 else { return }
        files.removeFirst()
        file.remove()
        reader.left(file)
        taken = max(taken, file.numbers.upperBound - 1)
        dropped += file.waiting
    }

    // MARK: Out

    /// The next record that has not been read since ``rewind()``; nil when there is none.
    func next() -> SpoolRecord? {
        if let record = reader.next(in: files, after: taken) { return record }
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
        while let file = files.first, file.numbers.upperBound <= number, files.count > 1 || !isWritable {
            files.removeFirst()
            file.remove()
            reader.left(file)
        }
        guard let file = files.first, file.numbers.contains(number) else {
            return
        }
        file.waiting -= 1
        untold += 1
        if file.waiting > 0 {
            if untold >= 16 { tellDisk() }
        } else if files.count > 1 || !isWritable {
            files.removeFirst()
            file.remove()
            reader.left(file)
        } else {
            file.empty()
            reader.left(file)
            untold = 0
        }
    }

    /// Tells the next run what the broker has.
    private func tellDisk() {
        guard untold > 0, isWritable, let last = files.last, !last.numbers.isEmpty else { return }
        untold = 0
        // Without it the next run sends some twice, which is no error.
        _ = last.append(SpoolLine.taken(through: taken).bytes)
    }

    /// Leaves the disk as the next run needs it, which may take the folder now.
    func close() {
        tellDisk()
        if isWritable, let last = files.last, last.waiting == 0 {
            last.remove()
            files.removeLast()
        }
        isWritable = false
        folder = nil
    }
}
