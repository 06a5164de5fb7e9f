// SPDX-License-Identifier: Apache-2.0

/// The keys of one kind of object, each known by its place in a list.
///
/// Programs write the members of such objects in one order. So the key is tried first that followed the last one before,
/// and it takes two comparisons to find it there. In any other order, and with blanks, keys are found in the long way.
/// One owner at a time.
package struct JSONKeys: Sendable {
    private struct Entry: Sendable {
        let name: [UInt8]
        /// The name as ``JSONText/word`` has it.
        let word: UInt64
        /// The bytes `,"name":` and which of them count, the first one lowest.
        var text: (low: UInt64, high: UInt64) = (0, 0)
        var mask: (low: UInt64, high: UInt64) = (0, 0)
        /// How many bytes that are; 0 when they are too many.
        var length = 0
        /// The key that has followed this one last.
        var next = 0
        /// The form of the number that has stood behind it last.
        var shape = NumberShape()
    }

    /// The names, behind them one for every other key, and one for the start of an object.
    private var entries: [Entry]
    /// Where they stand.
    private let other: Int
    private let start: Int
    /// The places of names of 1 to 8 bytes, by their words.
    private let sorted: [Int]
    /// The place of the last key.
    private var last: Int

    /// - Parameter names: ASCII, without what would have to be escaped.
    package init(_ names: [String]) {
        var entries: [Entry] = []
        for name in names {
            let bytes = Array(name.utf8)
            let word = bytes.count > 8 ? 0 : bytes.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            var entry = Entry(name: bytes, word: word)
            let text = Array(",\"\(name)\":".utf8)
            if text.count <= 16 {
                entry.length = text.count
                for (index, byte) in text.enumerated() {
                    let shift = UInt64(index % 8 * 8)
                    if index < 8 {
                        entry.text.low |= UInt64(byte) << shift
                        entry.mask.low |= 0xff << shift
                    } else {
                        entry.text.high |= UInt64(byte) << shift
                        entry.mask.high |= 0xff << shift
                    }
                }
            }
            entries.append(entry)
        }
        sorted = entries.indices.filter { entries[$0].word != 0 }.sorted { entries[$0].word < entries[$1].word }
        other = entries.count
        start = other + 1
        last = start
        self.entries = entries + [Entry(name: [], word: 0), Entry(name: [], word: 0)]
    }

    /// An object begins.
    package mutating func begin() { last = start }

    /// The place of the next key of the object, with the cursor before its value: the number of names for one that is not
    /// among them. Nil, with the cursor behind the object, at its end.
    package mutating func next(_ reader: inout JSONReader) throws(JSONError) -> Int? {
        let guess = entries[last].next
        if reader.skipKey(entries[guess].text, entries[guess].mask, entries[guess].length) {
            last = guess
            return guess
        }
        guard let key = try reader.nextKey() else { return nil }
        let place = place(of: key)
        if place != other { entries[last].next = place }
        last = place
        return place
    }

    /// Reads the number behind the last key as ``JSONReader/doubleIfPresent()`` does. Meant for members whose numbers mostly
    /// have as many digits as the time before: where the next member begins is known then before this one has been read.
    package mutating func doubleIfPresent(_ reader: inout JSONReader) throws(JSONError) -> Double {
        if let value = reader.number(entries[last].shape) { return value }
        let value = try reader.doubleIfPresent(noting: &entries[last].shape)
        return value
    }

    private func place(of key: JSONText) -> Int {
        guard key.word != 0 else {
            let long = entries.firstIndex { entry in
                guard entry.word == 0 else { return false }
                return key.hasEscapes
                    ? key.string().utf8.elementsEqual(entry.name) : key.rawBytes.elementsEqual(entry.name)
            }
            return long ?? other
        }
        var low = 0
        var high = sorted.count
        while low < high {
            let middle = (low + high) / 2
            if entries[sorted[middle]].word < key.word { low = middle + 1 } else { high = middle }
        }
        return low < sorted.count && entries[sorted[low]].word == key.word ? sorted[low] : other
    }
}

extension JSONReader {
    /// Moves behind a key and its colon when just these bytes stand there; false when they do not.
    @inline(__always)
    fileprivate mutating func skipKey(
        _ text: (low: UInt64, high: UInt64), _ mask: (low: UInt64, high: UInt64), _ length: Int
    ) -> Bool {
        guard length > 0, offset &+ 16 <= limit else { return false }
        var text = text
        var mask = mask
        var length = length
        if !needsComma {
            // The first member of an object has none before it.
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
