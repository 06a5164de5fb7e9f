// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// The read position in a spool. Files are read one after the other.
struct SpoolReader {
    /// The number of the last record that has been read.
    private(set) var number: UInt64 = 0
    private(set) var file: SpoolFile?
    /// The last data read from the file.
    private var bytes: [UInt8] = []
    private var bufferOffset = 0
    /// The number of bytes that have been read from the file.
    private var offset = 0

    /// Records that a record has been read from memory.
    mutating func advance(to number: UInt64) { self.number = max(self.number, number) }

    /// Resets the position if its file has been removed or emptied.
    mutating func reset(ifReading gone: SpoolFile) {
        guard file === gone else { return }
        (file, bytes, bufferOffset, offset) = (nil, [], 0, 0)
    }

    /// Returns the next record in the files after those already read and after `taken`. If the file cannot be read,
    /// throws an error; the next call tries again.
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
                bufferOffset = 0
                offset += bytes.count
                continue
            }
            guard file !== files.last else { return nil }
            reset(ifReading: file)
            number = max(number, file.numbers.upperBound - 1)
        }
    }

    /// Returns the next record in `bytes`.
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
