// SPDX-License-Identifier: Apache-2.0

/// A queue of records in memory, oldest first, with consecutive numbers.
struct SpoolMemory {
    private var records: [SpoolRecord] = []
    /// The index of the first record. The elements before it have been removed and are deleted in batches.
    private var start = 0
    private(set) var bytes = 0

    var count: Int { records.count - start }
    var first: SpoolRecord? { start < records.count ? records[start] : nil }

    mutating func append(_ record: SpoolRecord) {
        records.append(record)
        bytes += Self.size(record)
    }

    @discardableResult
    mutating func removeFirst() -> SpoolRecord? {
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

    /// Removes the record with the given number and all records before it. Returns false if there are none.
    mutating func remove(_ number: UInt64) -> Bool {
        guard let oldest = first, oldest.number <= number else { return false }
        while let record = first, record.number <= number { removeFirst() }
        return true
    }

    /// Returns the first record after the given number.
    func first(after number: UInt64) -> SpoolRecord? {
        guard let oldest = first else { return nil }
        guard oldest.number <= number else { return oldest }
        let place = number - oldest.number + 1
        return place < UInt64(count) ? records[start + Int(place)] : nil
    }

    private static func size(_ record: SpoolRecord) -> Int { record.payload.count + record.topic.utf8.count + 64 }
}
