// SPDX-License-Identifier: Apache-2.0

import JSONBytes
import SystemCalls

/// A cache of receiver paths, so that reports from a known receiver do not allocate a new string.
struct ReceiverNames: Sendable {
    /// The maximum number of cached paths. With more receivers, the oldest entry is replaced.
    static let capacity = 32

    private struct Entry: Sendable {
        /// The path as encoded in the report, including escapes.
        var bytes: [UInt8]
        var name: String
    }

    private var entries: [Entry] = []
    /// The index of the entry that was found last. It is checked first, because most streams come from one receiver.
    private var last = 0
    private var oldest = 0

    mutating func name(_ text: JSONText) -> String {
        func isWanted(_ entry: Entry) -> Bool { entry.bytes.withUnsafeBytes { $0.isSame(as: text.rawBytes) } }
        if last < entries.count, isWanted(entries[last]) { return entries[last].name }
        if let index = entries.firstIndex(where: isWanted) {
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
}
