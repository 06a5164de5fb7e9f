// SPDX-License-Identifier: Apache-2.0

/// Cities by folded name.
///
/// A search first looks at samples of the index, which are beside each other, and then at the marks of the rows between two
/// of them: the names themselves, and the cities that have them, are all over the data, and every one that is looked at
/// brings up to 64 kB of it into memory.
extension PlaceData {
    /// How many rows of one name, or of one beginning, are looked at.
    private static let mostRows = 2000

    /// The numbers of the cities of that name, in any of their languages; each once.
    func cities(named name: [UInt8]) throws(PlaceDataError) -> [Int] {
        let mark = Self.mark(name)
        var found: [Int] = []
        let (low, high) = try rows(around: name)
        for number in low..<max(low, high) where try index.number(number, at: 2, bytes: 1) == mark {
            let row = try row(number)
            guard row.name == name, !found.contains(row.city) else { continue }
            found.append(row.city)
            if found.count == Self.mostRows { break }
        }
        return found
    }

    /// Eight bits of a name: FNV-1a.
    static func mark(_ name: [UInt8]) -> Int {
        var value: UInt32 = 0x811C_9DC5
        for byte in name { value = (value ^ UInt32(byte)) &* 0x0100_0193 }
        return Int(value >> 24)
    }

    /// The numbers of the cities whose name begins so.
    func cities(beginning start: [UInt8]) throws(PlaceDataError) -> [Int] {
        var (low, high) = try rows(around: start)
        while low < high {
            let middle = (low + high) / 2
            if try row(middle).name.lexicographicallyPrecedes(start) { low = middle + 1 } else { high = middle }
        }
        var found: [Int] = []
        while low < index.count, found.count < Self.mostRows {
            let row = try row(low)
            guard row.name.starts(with: start) else { break }
            if !found.contains(row.city) { found.append(row.city) }
            low += 1
        }
        return found
    }

    /// How many rows there are from one sample to the next.
    private static let rowsBetweenSamples = 32

    /// The rows among which the first one of that name, or behind it, is.
    private func rows(around name: [UInt8]) throws(PlaceDataError) -> (low: Int, high: Int) {
        let before = try samplesBefore(name) { sample, name in sample < name }
        let until = try samplesBefore(name) { sample, name in sample <= name }
        let (low, high) = (max(0, before - 1) * Self.rowsBetweenSamples, until * Self.rowsBetweenSamples)
        return (min(low, index.count), min(high, index.count))
    }

    /// How many samples stand before a name, by their beginnings.
    private func samplesBefore(
        _ name: [UInt8], _ isBefore: (UInt64, UInt64) -> Bool
    ) throws(PlaceDataError) -> Int {
        let start = (0..<8).reduce(UInt64(0)) { $0 << 8 | UInt64($1 < name.count ? name[$1] : 0) }
        var low = 0
        var high = samples.count
        while low < high {
            let middle = (low + high) / 2
            var sample: UInt64 = 0
            for place in 0..<8 { sample = sample << 8 | UInt64(try samples.number(middle, at: place, bytes: 1)) }
            if isBefore(sample, start) { low = middle + 1 } else { high = middle }
        }
        return low
    }

    private func row(_ number: Int) throws(PlaceDataError) -> (name: [UInt8], city: Int) {
        let entry = try index.number(number, at: 0, bytes: 2)
        if entry < cities.count {
            return (try folded(texts.text(at: cities.nameOffset(entry))), entry)
        }
        let other = entry - cities.count
        let name = try texts.text(at: otherNames.number(other, at: 3, bytes: 3))
        return (Array(name.utf8), try otherNames.number(other, at: 0, bytes: 3))
    }
}
