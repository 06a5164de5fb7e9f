// SPDX-License-Identifier: Apache-2.0

import SystemCalls

/// Looks up names, and converts cities, countries and areas to places.
extension PlaceData {
    /// The maximum number of cities with the same name to check for proximity to the requested place.
    private static let maximumNeighbours = 50

    /// Returns the areas and countries with the given folded name. If there are none, returns the cities with this
    /// name. If `isHead` is true, the name is that of the requested place itself, so it is not compared with area
    /// abbreviations.
    func surroundings(_ name: [UInt8], _ query: PlaceQuery, isHead: Bool = false) throws(PlaceDataError) -> Surroundings
    {
        var found = Surroundings(isPossibleAbbreviation: (2...3).contains(name.count))
        if found.isPossibleAbbreviation { found.countries = try countries(code: name) }
        try forEachRow(of: countryNames.count, equalTo: name) { (row) throws(PlaceDataError) in
            Array(try texts.text(at: countryNames.integer(row, at: 2, byteCount: 3)).utf8)
        } body: { (row) throws(PlaceDataError) in
            found.countries.insert(try countryNames.integer(row, at: 0, byteCount: 2))
        }
        try forEachRow(of: areaIndex.count, equalTo: name) { (row) throws(PlaceDataError) in
            let (area, isAbbreviation) = try areaEntry(row)
            return try folded(texts.text(at: areas.integer(area, at: isAbbreviation ? 5 : 2, byteCount: 3)))
        } body: { (row) throws(PlaceDataError) in
            let (area, isAbbreviation) = try areaEntry(row)
            if !isAbbreviation || !isHead { found.areas.insert(area) }
        }
        guard found.isEmpty else { return found }
        let towns = try cities(named: name)
        // Looking up country names in other languages is slow, and unnecessary if a city has this name.
        if towns.isEmpty, case let codes = query.countryCodes(name), !codes.isEmpty {
            for row in 0..<countries.count where codes.contains(try code(ofCountry: row + 1)) {
                found.countries.insert(row + 1)
            }
        }
        found.cities = Array(towns.prefix(Self.maximumNeighbours))
        return found
    }

    /// Returns the area that a row of the area index refers to. `isAbbreviation` is true if the row is sorted by the
    /// area's abbreviation instead of its name.
    private func areaEntry(_ row: Int) throws(PlaceDataError) -> (area: Int, isAbbreviation: Bool) {
        let entry = try areaIndex.integer(row, at: 0, byteCount: 2)
        return (entry & 0x7FFF, entry & 0x8000 != 0)
    }

    /// Calls the closure with each row whose key equals the given name. The rows must be sorted by key.
    private func forEachRow(
        of count: Int, equalTo name: [UInt8], key: (Int) throws(PlaceDataError) -> [UInt8],
        body: (Int) throws(PlaceDataError) -> Void
    ) throws(PlaceDataError) {
        var low = try (0..<count).partitionPoint { (row) throws(PlaceDataError) in
            try key(row).lexicographicallyPrecedes(name)
        }
        while low < count, try key(low) == name {
            try body(low)
            low += 1
        }
    }

    /// Returns the countries with the given two- or three-letter ISO 3166-1 code.
    private func countries(code name: [UInt8]) throws(PlaceDataError) -> Set<Int> {
        var found: Set<Int> = []
        let letters = name.map { $0 & 0xDF }
        for row in 0..<countries.count {
            var isSame = true
            for (offset, letter) in letters.enumerated() where isSame {
                isSame =
                    try countries.integer(row, at: (letters.count == 2 ? 0 : 2) + offset, byteCount: 1) == Int(letter)
            }
            if isSame { found.insert(row + 1) }
        }
        return found
    }

    func place(ofCity city: CityGrid.City) throws(PlaceDataError) -> Place {
        var place = Place(latitude: city.latitude, longitude: city.longitude, radius: city.radius * 1000)
        try setCountry(areaCountry(city.area), of: &place)
        place.administrativeArea = try text(areas, city.area, at: 2)
        place.locality = try texts.text(at: city.nameOffset)
        place.timeZone = try text(zones, city.zone, at: 0)
        return place
    }

    func place(ofCountry label: Int) throws(PlaceDataError) -> Place {
        var place = Place(
            latitude: Double(try countries.signed(label - 1, at: 8)) / 100,
            longitude: Double(try countries.signed(label - 1, at: 10)) / 100,
            radius: Double(try countries.integer(label - 1, at: 12, byteCount: 2)) * 1000)
        try setCountry(label, of: &place)
        return place
    }

    /// Returns an area as a place, or nil if the area has no cities. The centre is the mean position of the cities. The
    /// radius covers all cities and is at least 10 km.
    func place(ofArea area: Int) throws(PlaceDataError) -> Place? {
        var members: [CityGrid.City] = []
        try cities.forEachCity { city in if city.area == area { members.append(city) } }
        guard let first = members.first else { return nil }
        let latitude = members.reduce(0) { $0 + $1.latitude } / Double(members.count)
        let offset = members.reduce(0) { $0 + remainder($1.longitude - first.longitude, 360) } / Double(members.count)
        let longitude = remainder(first.longitude + offset, 360)
        let radius = members.reduce(10) { max($0, CityGrid.distance($1, latitude, longitude)) }
        var place = Place(latitude: latitude, longitude: longitude, radius: radius * 1000)
        try setCountry(areaCountry(area), of: &place)
        place.administrativeArea = try text(areas, area, at: 2)
        return place
    }
}
