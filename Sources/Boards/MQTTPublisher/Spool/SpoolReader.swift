// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// The read position in a spool. Files are read one after another.
struct SpoolReader {
    /// The number of the last record read or skipped.
    private(set) var number: UInt64 = 0
    private(set) var file: SpoolFile?
    private var bytes: [UInt8] = []
    private var bufferOffset = 0
    /// The number of bytes read from the file.
    private var offset = 0

    /// Moves the read position past a record that was read from memory.
    mutating func advance(to number: UInt64) { self.number = max(self.number, number) }

    /// If the given file is being read, stops reading it. Called when the file has been removed or emptied.
    mutating func reset(ifReading removed: SpoolFile) {
        guard file === removed else { return }
        (file, bytes, bufferOffset, offset) = (nil, [], 0, 0)
    }

    /// Returns the next unread record whose number is greater than `acknowledged`, or nil if there is none. If a file
    /// cannot be read, throws an error, and the next call tries again.
    mutating func next(in files: [SpoolFile], after acknowledged: UInt64) throws(DeviceError) -> SpoolRecord? {
        number = max(number, acknowledged)
        while true {
            if file == nil {
                guard let first = files.first(where: { $0.numbers.upperBound > number + 1 }) else { return nil }
                file = first
            }
            guard let file else { return nil }
            if let record = nextRecord() { return record }
            if offset < file.size {
                bytes = try file.bytes(from: offset)
                bufferOffset = 0
                offset += bytes.count
                continue
            }
            guard file !== files.last else { return nil }
            reset(ifReading: file)
            number = max(number, file.numbers.upperBound - 1)
        }
    }

    private mutating func nextRecord() -> SpoolRecord? {
        while bufferOffset < bytes.count {
            let rest = bytes[bufferOffset...]
            let end = rest.firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
            let line = bytes.withUnsafeBytes { SpoolLine(UnsafeRawBufferPointer(rebasing: $0[bufferOffset..<end])) }
            bufferOffset = end + 1
            guard case .record(let record)? = line, record.number > number else { continue }
            number = record.number
            return record
        }
        bytes = []
        return nil
    }
}

/// A queue of records in memory, oldest first, with consecutive numbers.
struct SpoolMemory {
    private var records: [SpoolRecord] = []
    /// The index of the oldest queued record in `records`. Earlier elements are no longer in the queue, but are deleted
    /// from the array only in batches.
    private var start = 0
    private(set) var bytes = 0

    var count: Int { records.count - start }
    var first: SpoolRecord? { start < records.count ? records[start] : nil }

    mutating func append(_ record: SpoolRecord) {
        records.append(record)
        bytes += Self.size(record)
    }

    @discardableResult mutating func removeFirst() -> SpoolRecord? {
        guard let record = first else { return nil }
        bytes -= Self.size(record)
        start += 1
        if start == records.count {
            records.removeAll(keepingCapacity: records.capacity < 64)
            start = 0
        } else if start >= 64, start * 2 >= records.count {
            records.removeFirst(start)
            start = 0
        }
        return record
    }

    /// Removes all records up to and including the given number. Returns false if there are none.
    mutating func remove(_ number: UInt64) -> Bool {
        guard let oldest = first, oldest.number <= number else { return false }
        while let record = first, record.number <= number { removeFirst() }
        return true
    }

    func first(after number: UInt64) -> SpoolRecord? {
        guard let oldest = first else { return nil }
        guard oldest.number <= number else { return oldest }
        let index = number - oldest.number + 1
        return index < UInt64(count) ? records[start + Int(index)] : nil
    }

    /// An estimate of a record's memory use, in bytes.
    private static func size(_ record: SpoolRecord) -> Int { record.payload.count + record.topic.utf8.count + 64 }
}
