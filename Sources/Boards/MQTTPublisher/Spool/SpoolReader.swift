// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// Where a spool is being read: a file at a time, each once.
struct SpoolReader {
    /// The last record that was read.
    private(set) var number: UInt64 = 0
    private(set) var file: SpoolFile?
    /// Of the file, from an offset on.
    private var bytes: [UInt8] = []
    private var place = 0
    /// What of the file was read.
    private var offset = 0

    /// A record was read elsewhere.
    mutating func passed(_ number: UInt64) { self.number = max(self.number, number) }

    /// The file is gone, or empty.
    mutating func left(_ gone: SpoolFile) {
        guard file === gone else { return }
        (file, bytes, place, offset) = (nil, [], 0, 0)
    }

    /// The next record in the files, behind those that were read and those up to a number. The error says why the file cannot
    /// be read; it is tried again.
    mutating func next(in files: [SpoolFile], after taken: UInt64) throws(DeviceError) -> SpoolRecord? {
        number = max(number, taken)
        while true {
            if file == nil {
                guard let first = files.first(where: { $0.numbers.upperBound > number + 1 }) else { return nil }
                file = first
            }
            guard let file else { return nil }
            if let record = nextRecord() { return record }
            if offset < file.size {
                bytes = try file.bytes(from: offset)
                place = 0
                offset += bytes.count
                continue
            }
            guard file !== files.last else { return nil }
            left(file)
            number = max(number, file.numbers.upperBound - 1)
        }
    }

    /// The next record of what was read.
    private mutating func nextRecord() -> SpoolRecord? {
        while place < bytes.count {
            let rest = bytes[place...]
            let end = rest.firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
            let line = bytes.withUnsafeBytes { SpoolLine(UnsafeRawBufferPointer(rebasing: $0[place..<end])) }
            place = end + 1
            guard case .record(let record)? = line, record.number > number else { continue }
            number = record.number
            return record
        }
        bytes = []
        return nil
    }
}
