// SPDX-License-Identifier: Apache-2.0

/// All that is known of places: countries, lakes and seas by outline, cities by point, and their names.
///
/// A value over one read-only image that CPlaceData/make_places.py makes. Integers in it have the least significant byte
/// first, texts are UTF-8 behind a byte with their length, and references to texts are three bytes.
///
/// | section | rows |
/// | --- | --- |
/// | countries | 14 bytes: ISO 3166-1 of two and of three letters, name, centre (hundredths of a degree), reach (km) |
/// | country names | 5 bytes: country, folded name in some language, in the order of the names' bytes |
/// | areas | 8 bytes: country, name, letters in addresses or an empty text |
/// | area index | 2 bytes: an area by its name, or with the top bit set by its letters, in the order of their folded bytes |
/// | zones | 3 bytes: name |
/// | samples | 8 bytes: the beginning of the folded name of each 32nd row of the index, with zeros behind it |
/// | grid, cities | see ``CityGrid`` |
/// | others | 6 bytes: city, folded name in another language |
/// | index | 3 bytes: a city, or behind the last city one of others, in the order of their folded names' bytes, and a mark |
/// | land, lakes, seas | see ``OutlineLayer``; labels begin with 1 |
/// | lake and sea names | 3 bytes: name, for labels from 1 |
/// | folding | 4 bytes: a UTF-16 unit and the letters that it folds to |
/// | texts | |
///
/// Every number in it is checked where it is used, so a damaged image gives an error, or a wrong name, and no crash.
package struct PlaceData: Sendable {
    let countries: PlaceTable
    let countryNames: PlaceTable
    let areas: PlaceTable
    let areaIndex: PlaceTable
    let zones: PlaceTable
    let cities: CityGrid
    let otherNames: PlaceTable
    let index: PlaceTable
    let samples: PlaceTable
    let land: OutlineLayer
    let lakes: OutlineLayer
    let lakeNames: PlaceTable
    let seas: OutlineLayer
    let seaNames: PlaceTable
    let folding: PlaceTable
    let texts: PlaceBytes

    /// Reads constants of the program, which are not copied.
    package init(constant bytes: UnsafeRawBufferPointer) throws(PlaceDataError) {
        try self.init(PlaceBytes(constant: bytes))
    }

    /// Reads a copy of those bytes.
    package init(copying bytes: [UInt8]) throws(PlaceDataError) { try self.init(PlaceBytes(copying: bytes)) }

    private static let signature: [UInt8] = [0x50, 0x4C, 0x41, 0x43, 0x45, 0x53, 0, 2]  // PLACES, version 2

    private init(_ bytes: PlaceBytes) throws(PlaceDataError) {
        for (place, byte) in Self.signature.enumerated() {
            guard try bytes.number(at: place, bytes: 1) == Int(byte) else { throw .damaged }
        }
        guard try bytes.number(at: 8, bytes: 4) == bytes.count else { throw .damaged }
        func section(_ number: Int) throws(PlaceDataError) -> PlaceBytes {
            let row = 12 + 8 * number
            return try bytes.part(bytes.number(at: row, bytes: 4), bytes.number(at: row + 4, bytes: 4))
        }
        countries = PlaceTable(try section(0), width: 14)
        countryNames = PlaceTable(try section(1), width: 5)
        areas = PlaceTable(try section(2), width: 8)
        areaIndex = PlaceTable(try section(3), width: 2)
        zones = PlaceTable(try section(4), width: 3)
        samples = PlaceTable(try section(5), width: 8)
        cities = CityGrid(grid: try section(6), rows: try section(7))
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

/// Rows of one width.
struct PlaceTable: Sendable {
    let bytes: PlaceBytes
    let width: Int

    init(_ bytes: PlaceBytes, width: Int) {
        self.bytes = bytes
        self.width = width
    }

    var count: Int { bytes.count / width }

    /// A number in a row, at that place and of so many bytes.
    @inline(__always)
    func number(_ row: Int, at place: Int, bytes count: Int) throws(PlaceDataError) -> Int {
        guard row >= 0, row < self.count else { throw .damaged }
        return try bytes.number(at: row * width + place, bytes: count)
    }

    /// The same as a number with a sign, of two bytes.
    func signed(_ row: Int, at place: Int) throws(PlaceDataError) -> Int {
        Int(Int16(truncatingIfNeeded: try number(row, at: place, bytes: 2)))
    }
}
