// SPDX-License-Identifier: Apache-2.0

import JSONBytes
import SystemCalls

/// A cache of receiver paths, so that reports from a known receiver do not allocate a new string.
struct ReceiverPathCache: Sendable {
    /// The maximum number of cached paths. With more receivers, the oldest entry is replaced.
    static let capacity = 32

    private struct Entry: Sendable {
        /// The path as encoded in the report, including escapes.
        var bytes: [UInt8]
        var name: String
    }

    private var entries: [Entry] = []
    /// The index of the entry that was found last. It is checked first, because most streams come from one receiver.
    private var lastFoundIndex = 0
    private var oldestIndex = 0

    mutating func path(for text: JSONText) -> String {
        func matches(_ entry: Entry) -> Bool { entry.bytes.withUnsafeBytes { $0.hasSameBytes(as: text.rawBytes) } }
        if lastFoundIndex < entries.count, matches(entries[lastFoundIndex]) { return entries[lastFoundIndex].name }
        if let index = entries.firstIndex(where: matches) {
            lastFoundIndex = index
            return entries[index].name
        }
        let entry = Entry(bytes: [UInt8](text.rawBytes), name: text.string())
        if entries.count < Self.capacity {
            lastFoundIndex = entries.count
            entries.append(entry)
        } else {
            lastFoundIndex = oldestIndex
            entries[oldestIndex] = entry
            oldestIndex = (oldestIndex + 1) % Self.capacity
        }
        return entry.name
    }
}
