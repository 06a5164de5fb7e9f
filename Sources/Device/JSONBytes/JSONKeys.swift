// SPDX-License-Identifier: Apache-2.0

/// The keys of one kind of JSON object, each identified by its index in a list. Not thread-safe.
///
/// Programs usually write the members of an object in the same order. Each key's entry therefore records the key that
/// last followed it. Two integer comparisons then determine whether the same key follows again. The whole list is
/// searched only if the order differs or the text contains whitespace.
package struct JSONKeys: Sendable {
    private struct Entry: Sendable {
        let name: [UInt8]
        let word: UInt64
        /// The key as it appears in the text, with punctuation (`,"name":`), packed into two integers in little-endian
        /// order. `mask` selects the bytes to compare.
        var text: (low: UInt64, high: UInt64) = (0, 0)
        var mask: (low: UInt64, high: UInt64) = (0, 0)
        /// The number of bytes in `text`, or 0 if the key does not fit into 16 bytes.
        var length = 0
        /// The index of the key that most recently followed this key, which predicts the next key.
        var next = 0
        /// The shape of the last number read for this key.
        var shape = NumberShape()
    }

    /// One entry for each name, followed by an entry for unknown keys and an entry for the start of an object.
    private var entries: [Entry]
    private let unknownIndex: Int
    private let startIndex: Int
    /// The indices of all names of 1 to 8 bytes, sorted by the value of `word`.
    private let sorted: [Int]
    private var last: Int

    /// - Parameter names: ASCII names that need no escaping in JSON.
    package init(_ names: [String]) {
        func pack(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) } }
        var entries: [Entry] = []
        for name in names {
            let bytes = Array(name.utf8)
            var entry = Entry(name: bytes, word: bytes.count > 8 ? 0 : pack(bytes[...]))
            let text = Array(",\"\(name)\":".utf8)
            if text.count <= 16 {
                entry.length = text.count
                entry.text = (pack(text.prefix(8)), pack(text.dropFirst(8)))
                let ones = [UInt8](repeating: 0xff, count: text.count)
                entry.mask = (pack(ones.prefix(8)), pack(ones.dropFirst(8)))
            }
            entries.append(entry)
        }
        sorted = entries.indices.filter { entries[$0].word != 0 }.sorted { entries[$0].word < entries[$1].word }
        unknownIndex = entries.count
        startIndex = unknownIndex + 1
        last = startIndex
        self.entries = entries + [Entry(name: [], word: 0), Entry(name: [], word: 0)]
    }

    /// Resets the prediction at the start of an object.
    package mutating func beginObject() { last = startIndex }

    /// Reads the next key and returns its index. For an unknown key, returns the number of known names. At the end of
    /// the object, moves past it and returns nil.
    package mutating func next(_ reader: inout JSONReader) throws(JSONError) -> Int? {
        let guess = entries[last].next
        if reader.skipKey(entries[guess].text, entries[guess].mask, entries[guess].length) {
            last = guess
            return guess
        }
        guard let key = try reader.nextKey() else { return nil }
        let index = index(of: key)
        if index != unknownIndex { entries[last].next = index }
        last = index
        return index
    }

    /// Reads the value of the most recently read key. Returns the same result as ``JSONReader/doubleIfPresent()``, but
    /// is faster if a key's values usually have the same number of digits, because the position of the next member is
    /// then known before the number is parsed.
    package mutating func doubleIfPresent(_ reader: inout JSONReader) throws(JSONError) -> Double {
        if let value = reader.number(entries[last].shape) { return value }
        let value = try reader.doubleIfPresent(updating: &entries[last].shape)
        return value
    }

    private func index(of key: JSONText) -> Int {
        guard key.word != 0 else {
            let long = entries.firstIndex { entry in
                guard entry.word == 0 else { return false }
                return key.hasEscapes
                    ? key.string().utf8.elementsEqual(entry.name) : key.rawBytes.elementsEqual(entry.name)
            }
            return long ?? unknownIndex
        }
        var low = 0
        var high = sorted.count
        while low < high {
            let middle = (low + high) / 2
            if entries[sorted[middle]].word < key.word { low = middle + 1 } else { high = middle }
        }
        return low < sorted.count && entries[sorted[low]].word == key.word ? sorted[low] : unknownIndex
    }
}

extension JSONReader {
    /// Skips a key and its colon if they match the given bytes. Otherwise, reads nothing and returns false.
    @inline(__always) fileprivate mutating func skipKey(
        _ text: (low: UInt64, high: UInt64), _ mask: (low: UInt64, high: UInt64), _ length: Int
    ) -> Bool {
        guard length > 0, offset &+ 16 <= limit else { return false }
        var text = text
        var mask = mask
        var length = length
        if !needsComma {
            // The first member of an object has no comma before it.
            text.low = text.low &>> 8 | text.high &<< 56
            text.high &>>= 8
            mask.low = mask.low &>> 8 | mask.high &<< 56
            mask.high &>>= 8
            length &-= 1
        }
        let low = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
        let high = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset &+ 8, as: UInt64.self))
        guard (low ^ text.low) & mask.low | (high ^ text.high) & mask.high == 0 else { return false }
        offset &+= length
        needsComma = false
        return true
    }
}
