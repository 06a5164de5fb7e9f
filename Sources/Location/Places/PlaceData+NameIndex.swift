// SPDX-License-Identifier: Apache-2.0

/// Finds cities by folded name. A page fault can load up to 64 kB. To limit page faults, a search first reads only
/// samples of the index, which are stored contiguously, and then the hashes of the rows between two samples.
extension PlaceData {
    private static let maximumCities = 2000

    /// Returns the indices of the cities with the given name in any language, without duplicates.
    func cities(named name: [UInt8]) throws(PlaceDataError) -> [Int] {
        let hash = Self.nameHash(name)
        var found: [Int] = []
        let (low, high) = try rowRange(containing: name)
        for number in low..<max(low, high) where try index.integer(number, at: 2, byteCount: 1) == hash {
            let row = try row(number)
            guard row.name == name, !found.contains(row.city) else { continue }
            found.append(row.city)
            if found.count == Self.maximumCities { break }
        }
        return found
    }

    /// Returns an 8-bit hash of a name: the top byte of its 32-bit FNV-1a hash. make_places.py stores the same hash in
    /// the index.
    static func nameHash(_ name: [UInt8]) -> Int {
        var value: UInt32 = 0x811C_9DC5
        for byte in name { value = (value ^ UInt32(byte)) &* 0x0100_0193 }
        return Int(value >> 24)
    }

    func cities(withPrefix start: [UInt8]) throws(PlaceDataError) -> [Int] {
        let (first, end) = try rowRange(containing: start)
        var low = try (first..<max(first, end)).partitionPoint { (number) throws(PlaceDataError) in
            try row(number).name.lexicographicallyPrecedes(start)
        }
        var found: [Int] = []
        while low < index.count, found.count < Self.maximumCities {
            let row = try row(low)
            guard row.name.starts(with: start) else { break }
            if !found.contains(row.city) { found.append(row.city) }
            low += 1
        }
        return found
    }

    private static let rowsBetweenSamples = 32

    /// Returns a range of rows in the sorted index that contains every row with the given name. If there is no such
    /// row, the range contains the position where the name would be inserted.
    private func rowRange(containing name: [UInt8]) throws(PlaceDataError) -> (low: Int, high: Int) {
        let before = try sampleCount(before: name) { sample, name in sample < name }
        let until = try sampleCount(before: name) { sample, name in sample <= name }
        let (low, high) = (max(0, before - 1) * Self.rowsBetweenSamples, until * Self.rowsBetweenSamples)
        return (min(low, index.count), min(high, index.count))
    }

    /// Returns the number of samples that precede a name in sort order. Only the first 8 bytes are compared.
    private func sampleCount(
        before name: [UInt8], isOrderedBefore isBefore: (UInt64, UInt64) -> Bool
    ) throws(PlaceDataError) -> Int {
        let start = (0..<8).reduce(UInt64(0)) { $0 << 8 | UInt64($1 < name.count ? name[$1] : 0) }
        return try (0..<samples.count).partitionPoint { (row) throws(PlaceDataError) in
            var sample: UInt64 = 0
            for offset in 0..<8 { sample = sample << 8 | UInt64(try samples.integer(row, at: offset, byteCount: 1)) }
            return isBefore(sample, start)
        }
    }

    private func row(_ number: Int) throws(PlaceDataError) -> (name: [UInt8], city: Int) {
        let entry = try index.integer(number, at: 0, byteCount: 2)
        if entry < cities.count { return (try folded(texts.text(at: cities.nameOffset(entry))), entry) }
        let other = entry - cities.count
        let name = try texts.text(at: otherNames.integer(other, at: 3, byteCount: 3))
        return (Array(name.utf8), try otherNames.integer(other, at: 0, byteCount: 3))
    }
}
