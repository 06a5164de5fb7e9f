// SPDX-License-Identifier: Apache-2.0

import SystemCalls

/// The cities as points, in cells of one degree, so that a search reads only the cities near a point.
/// CPlaceData/make_places.py defines the format. Integers are little-endian. The checks ensure that a damaged image
/// causes errors or wrong names, but not crashes. The grid contains:
/// - For each row (one degree of latitude) from the south, the index of its first cell (181 numbers of two bytes).
/// - The number of cells with cities (four bytes).
/// - For each of these cells, the index of its first city (20 bits) and its column (upper 12 bits).
///
/// A city occupies ten bytes: the position in its cell (12 bits of latitude, 12 bits of longitude), the area (13 bits),
/// the time zone (11 bits), the size (one byte) and the offset of the name (three bytes).
struct CityGrid: Sendable {
    private let grid: PlaceBytes
    private let cities: PlaceTable

    /// The length of one degree of latitude, in kilometres, on a sphere with the mean radius of the Earth.
    static let kilometresPerDegree = 111.195
    private static let stepsPerDegree = 4096.0

    init(grid: PlaceBytes, cities: PlaceBytes) {
        self.grid = grid
        self.cities = PlaceTable(cities, width: 10)
    }

    var count: Int { cities.count }

    struct City {
        var number: Int
        var latitude, longitude: Double
        /// The indices of the city's entries in `PlaceData.areas` and `PlaceData.zones`.
        var area, zone: Int
        /// Ten times the binary logarithm of `population + 1`.
        var size: Int
        /// The offset in `PlaceData.texts`.
        var nameOffset: Int

        /// The radius in kilometres, estimated as 0.1 km times the cube root of the population.
        var radius: Double { CityGrid.radius(ofSize: size) }
    }

    private static let radii: [Double] = (0...255).map { 0.1 * exp2(Double($0) / 30) }
    /// The maximum radius of a city, in kilometres. If a city is farther from a point than this, a search ignores the
    /// city's size. A larger radius would require more than 42 million inhabitants, which no city has.
    static let maximumRadius = 35.0

    func city(_ number: Int) throws(PlaceDataError) -> City {
        // The city is in the last cell whose first city has an index of at most `number`. This cell is in the last row
        // whose first cell has an index of at most `cellIndex`.
        let cellIndex =
            try (0..<cellCount()).partitionPoint { (index) throws(PlaceDataError) in try cell(index).first <= number }
            - 1
        guard cellIndex >= 0 else { throw .damaged }
        let row =
            try (1..<180).partitionPoint { (row) throws(PlaceDataError) in
                try grid.integer(at: row * 2, byteCount: 2) <= cellIndex
            } - 1
        return try city(number, row: row, column: cell(cellIndex).column)
    }

    func forEachCity(_ body: (City) -> Void) throws(PlaceDataError) {
        for row in 0..<180 {
            for index in try cells(ofRow: row) {
                let (column, first) = try cell(index)
                let end = index + 1 < (try cellCount()) ? try cell(index + 1).first : count
                guard first <= end, end <= count else { throw .damaged }
                for number in first..<end { body(try city(number, row: row, column: column)) }
            }
        }
    }

    static func distance(_ city: City, _ latitude: Double, _ longitude: Double) -> Double {
        distance(from: (city.latitude, city.longitude), to: (latitude, longitude))
    }

    /// Returns the distance between two points in kilometres, on a plane at the latitude of the second point.
    static func distance(
        from point: (latitude: Double, longitude: Double), to place: (latitude: Double, longitude: Double)
    ) -> Double {
        let dx =
            remainder(point.longitude - place.longitude, 360) * kilometresPerDegree * cos(place.latitude * .pi / 180)
        let dy = (point.latitude - place.latitude) * kilometresPerDegree
        return (dx * dx + dy * dy).squareRoot()
    }

    /// Calls the closure with the index and the distance, in kilometres, of each city less than `limit` kilometres from
    /// a point. The closure may reduce the limit, but must not increase it, because the initial limit determines which
    /// cells are searched. Distances are computed on a plane: at 100 km, the error is a few metres, except near the
    /// poles. NaN and infinite arguments trap, so `PlaceData.place` rejects them.
    @inline(__always) func forEachCity(
        near latitude: Double, _ longitude: Double, within limit: inout Double,
        _ body: (Int, Double, inout Double) throws(PlaceDataError) -> Void
    ) throws(PlaceDataError) {
        let high = limit / Self.kilometresPerDegree
        let longitudeScale = max(0.01, cos(min(89.9, abs(latitude) + high) * .pi / 180))
        let firstRow = max(0, Int((latitude - high + 90).rounded(.down)))
        let lastRow = min(179, Int((latitude + high + 90).rounded(.down)))
        // Near a pole, the search covers all longitudes.
        let longitudeRange = min(180, high / longitudeScale)
        let west = Int((longitude - longitudeRange + 180).rounded(.down))
        let east = min(west + 359, Int((longitude + longitudeRange + 180).rounded(.down)))
        let scale = Self.kilometresPerDegree * cos(latitude * .pi / 180)
        guard firstRow <= lastRow else { return }
        for row in firstRow...lastRow {
            let cells = try cells(ofRow: row)
            // The columns from `west` to `east`, including those beyond the antimeridian.
            for wrap in [0, -360, 360] where max(0, west + wrap) <= min(359, east + wrap) {
                for index in try firstCell(of: cells, from: west + wrap)..<cells.upperBound {
                    let (column, first) = try cell(index)
                    if column > east + wrap { break }
                    let end = index + 1 < (try cellCount()) ? try cell(index + 1).first : count
                    guard first <= end, end <= count else { throw .damaged }
                    let x = longitude - Double(column - 180 - wrap)
                    let y = latitude - Double(row - 90)
                    for number in first..<end {
                        let point = try cities.integer(number, at: 0, byteCount: 3)
                        let dx = ((Double(point >> 12) + 0.5) / Self.stepsPerDegree - x) * scale
                        let dy = ((Double(point & 0xFFF) + 0.5) / Self.stepsPerDegree - y) * Self.kilometresPerDegree
                        let square = dx * dx + dy * dy
                        if square < limit * limit { try body(number, square.squareRoot(), &limit) }
                    }
                }
            }
        }
    }

    private func firstCell(of cells: Range<Int>, from column: Int) throws(PlaceDataError) -> Int {
        try cells.partitionPoint { (index) throws(PlaceDataError) in try cell(index).column < column }
    }

    func size(_ number: Int) throws(PlaceDataError) -> Int { try cities.integer(number, at: 6, byteCount: 1) }
    func area(_ number: Int) throws(PlaceDataError) -> Int { try cities.integer(number, at: 3, byteCount: 2) & 0x1FFF }

    static func radius(ofSize size: Int) -> Double { radii[min(size, 255)] }

    private func city(_ number: Int, row: Int, column: Int) throws(PlaceDataError) -> City {
        let point = try cities.integer(number, at: 0, byteCount: 3)
        let areaAndZone = try cities.integer(number, at: 3, byteCount: 3)
        return City(
            number: number,
            latitude: Double(row - 90) + (Double(point & 0xFFF) + 0.5) / Self.stepsPerDegree,
            longitude: Double(column - 180) + (Double(point >> 12) + 0.5) / Self.stepsPerDegree,
            area: areaAndZone & 0x1FFF, zone: areaAndZone >> 13, size: try size(number),
            nameOffset: try nameOffset(number))
    }

    func nameOffset(_ number: Int) throws(PlaceDataError) -> Int { try cities.integer(number, at: 7, byteCount: 3) }

    private func cellCount() throws(PlaceDataError) -> Int {
        let count = try grid.integer(at: 362, byteCount: 4)
        guard count <= (grid.count - 366) / 4 else { throw .damaged }
        return count
    }

    private func cell(_ index: Int) throws(PlaceDataError) -> (column: Int, first: Int) {
        let word = try grid.integer(at: 366 + index * 4, byteCount: 4)
        return (word >> 20, word & 0xFFFFF)
    }

    private func cells(ofRow row: Int) throws(PlaceDataError) -> Range<Int> {
        let first = try grid.integer(at: row * 2, byteCount: 2)
        let end = try grid.integer(at: row * 2 + 2, byteCount: 2)
        guard first <= end, end <= (try cellCount()) else { throw .damaged }
        return first..<end
    }
}
