// SPDX-License-Identifier: Apache-2.0

/// The place data: countries, lakes and seas as outlines, cities as points, and their names.
///
/// The data is a read-only image that CPlaceData/make_places.py generates. It begins with the signature, the image
/// size, and the offset and size of each section (four bytes each), as read by `init`. Integers are little-endian.
/// Texts are UTF-8, preceded by a length byte. A text reference has three bytes. A country is stored as its row number
/// plus 1.
///
/// | section | rows |
/// | --- | --- |
/// | countries | 14 bytes: ISO 3166-1 codes of 2 and 3 letters, name, centre (hundredths of a degree), radius (km) |
/// | country names | 5 bytes: country, folded name in any language; sorted by the bytes of the names |
/// | areas | 8 bytes: country, name, abbreviation in addresses or an empty text |
/// | area index | 2 bytes: area, with the top bit set for abbreviations; sorted by the bytes of the folded texts |
/// | zones | 3 bytes: name |
/// | samples | 8 bytes: the start of the folded name of every 32nd row of the index, padded with zeros |
/// | grid, cities | see ``CityGrid`` |
/// | others | 6 bytes: city, folded name in another language |
/// | index | 3 bytes: a city, or a row of others plus the number of cities; hash of the name; sorted by folded names |
/// | land, lakes, seas | see ``OutlineLayer``; labels start at 1 |
/// | lake and sea names | 3 bytes: name, for labels from 1 |
/// | folding | 4 bytes: a UTF-16 code unit and the letters it folds to |
/// | texts | |
///
/// All numbers are checked before use. A damaged image can cause errors or wrong names, but never a crash.
package struct PlaceData: Sendable {
    let countries, countryNames, areas, areaIndex, zones: PlaceTable
    let cities: CityGrid
    let otherNames, index, samples: PlaceTable
    let land: OutlineLayer
    let lakes: OutlineLayer
    let lakeNames: PlaceTable
    let seas: OutlineLayer
    let seaNames, folding: PlaceTable
    let texts: PlaceBytes

    package init(constant bytes: UnsafeRawBufferPointer) throws(PlaceDataError) {
        try self.init(PlaceBytes(constant: bytes))
    }

    package init(copying bytes: [UInt8]) throws(PlaceDataError) { try self.init(PlaceBytes(copying: bytes)) }

    private static let signature: [UInt8] = [0x50, 0x4C, 0x41, 0x43, 0x45, 0x53, 0, 2]  // PLACES, version 2

    private init(_ bytes: PlaceBytes) throws(PlaceDataError) {
        for (offset, byte) in Self.signature.enumerated() {
            guard try bytes.integer(at: offset, byteCount: 1) == Int(byte) else { throw .damaged }
        }
        guard try bytes.integer(at: 8, byteCount: 4) == bytes.count else { throw .damaged }
        func section(_ number: Int) throws(PlaceDataError) -> PlaceBytes {
            let row = 12 + 8 * number
            return try bytes.slice(bytes.integer(at: row, byteCount: 4), bytes.integer(at: row + 4, byteCount: 4))
        }
        countries = PlaceTable(try section(0), width: 14)
        countryNames = PlaceTable(try section(1), width: 5)
        areas = PlaceTable(try section(2), width: 8)
        areaIndex = PlaceTable(try section(3), width: 2)
        zones = PlaceTable(try section(4), width: 3)
        samples = PlaceTable(try section(5), width: 8)
        cities = CityGrid(grid: try section(6), cities: try section(7))
        otherNames = PlaceTable(try section(8), width: 6)
        index = PlaceTable(try section(9), width: 3)
        land = OutlineLayer(try section(10))
        lakes = OutlineLayer(try section(11))
        lakeNames = PlaceTable(try section(12), width: 3)
        seas = OutlineLayer(try section(13))
        seaNames = PlaceTable(try section(14), width: 3)
        folding = PlaceTable(try section(15), width: 4)
        texts = try section(16)
    }
}

/// A section whose rows all have the same width. Widths and offsets are in bytes.
struct PlaceTable: Sendable {
    let bytes: PlaceBytes
    let width: Int

    init(_ bytes: PlaceBytes, width: Int) {
        (self.bytes, self.width) = (bytes, width)
    }

    var count: Int { bytes.count / width }

    @inline(__always) func integer(_ row: Int, at offset: Int, byteCount count: Int) throws(PlaceDataError) -> Int {
        guard row >= 0, row < self.count else { throw .damaged }
        return try bytes.integer(at: row * width + offset, byteCount: count)
    }

    func signed(_ row: Int, at offset: Int) throws(PlaceDataError) -> Int {
        Int(Int16(truncatingIfNeeded: try integer(row, at: offset, byteCount: 2)))
    }
}
