// SPDX-License-Identifier: Apache-2.0

/// Cities by folded name.
extension PlaceData {
    /// How many rows of one name, or of one beginning, are looked at.
    private static let mostRows = 2000

    /// The numbers of the cities of that name, in any of their languages; each once.
    func cities(named name: [UInt8]) throws(PlaceDataError) -> [Int] {
        try cities(from: name) { $0 == name }
    }

    /// The numbers of the cities whose name begins so.
    func cities(beginning start: [UInt8]) throws(PlaceDataError) -> [Int] {
        try cities(from: start) { $0.starts(with: start) }
    }

    private func cities(from name: [UInt8], _ fits: ([UInt8]) -> Bool) throws(PlaceDataError) -> [Int] {
        var low = 0
        var high = index.count
        while low < high {
            let middle = (low + high) / 2
            if try row(middle).name.lexicographicallyPrecedes(name) { low = middle + 1 } else { high = middle }
        }
        var found: [Int] = []
        while low < index.count, found.count < Self.mostRows {
            let row = try row(low)
            guard fits(row.name) else { break }
            if !found.contains(row.city) { found.append(row.city) }
            low += 1
        }
        return found
    }

    private func row(_ number: Int) throws(PlaceDataError) -> (name: [UInt8], city: Int) {
        let entry = try index.number(number, at: 0, bytes: 3)
        if entry < cities.count {
            return (try folded(texts.text(at: cities.nameOffset(entry))), entry)
        }
        let other = entry - cities.count
        let name = try texts.text(at: otherNames.number(other, at: 3, bytes: 3))
        return (Array(name.utf8), try otherNames.number(other, at: 0, bytes: 3))
    }
}
