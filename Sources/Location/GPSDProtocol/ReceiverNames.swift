// SPDX-License-Identifier: Apache-2.0

import JSONBytes
import SystemCalls

/// The receivers' paths that were seen, so that a report that names one of them needs no new string.
struct ReceiverNames: Sendable {
    /// How many are kept; with more receivers than this the oldest entry gives way.
    static let capacity = 32

    private struct Entry: Sendable {
        /// The path as it stands in the report, escapes included.
        var bytes: [UInt8]
        var name: String
    }

    private var entries: [Entry] = []
    /// The entry that was found last: most streams come from one receiver.
    private var last = 0
    private var oldest = 0

    mutating func name(_ text: JSONText) -> String {
        if last < entries.count, Self.isSame(entries[last].bytes, text.rawBytes) { return entries[last].name }
        if let index = entries.firstIndex(where: { Self.isSame($0.bytes, text.rawBytes) }) {
            last = index
            return entries[index].name
        }
        let entry = Entry(bytes: [UInt8](text.rawBytes), name: text.string())
        if entries.count < Self.capacity {
            last = entries.count
            entries.append(entry)
        } else {
            last = oldest
            entries[oldest] = entry
            oldest = (oldest + 1) % Self.capacity
        }
        return entry.name
    }

    private static func isSame(_ bytes: [UInt8], _ text: UnsafeRawBufferPointer) -> Bool {
        guard bytes.count == text.count, let start = text.baseAddress else { return false }
        return bytes.withUnsafeBytes { bytes in
            bytes.baseAddress.map { memcmp($0, start, text.count) == 0 } ?? false
        }
    }
}
