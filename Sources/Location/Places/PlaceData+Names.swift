// SPDX-License-Identifier: Apache-2.0

import SystemCalls

/// Countries and areas by name, and what is known of them.
extension PlaceData {
    /// How many towns of one name are looked at to see whether a place is near one of them.
    private static let mostNeighbours = 50

    /// The countries and areas that a folded text names. A place that is looked for itself is no area by its letters.
    func surroundings(_ name: [UInt8], _ query: PlaceQuery, isHead: Bool = false) throws(PlaceDataError) -> Surroundings
    {
        var found = Surroundings(isLetters: (2...3).contains(name.count))
        if found.isLetters { found.countries = try countries(letters: name) }
        try forEachRow(of: countryNames.count, equalTo: name) { (row) throws(PlaceDataError) in
            Array(try texts.text(at: countryNames.number(row, at: 2, bytes: 3)).utf8)
        } body: { (row) throws(PlaceDataError) in
            found.countries.insert(try countryNames.number(row, at: 0, bytes: 2))
        }
        try forEachRow(of: areaIndex.count, equalTo: name) { (row) throws(PlaceDataError) in
            let (area, isLetters) = try areaEntry(row)
            return try folded(texts.text(at: areas.number(area, at: isLetters ? 5 : 2, bytes: 3)))
        } body: { (row) throws(PlaceDataError) in
            let (area, isLetters) = try areaEntry(row)
            if !isLetters || !isHead { found.areas.insert(area) }
        }
        guard found.isEmpty else { return found }
        let towns = try cities(named: name)
        // Countries in further languages take time, and a town that is known is none.
        if towns.isEmpty, case let codes = query.countryCodes(name), !codes.isEmpty {
            for row in 0..<countries.count where codes.contains(try code(ofCountry: row + 1)) {
                found.countries.insert(row + 1)
            }
        }
        found.cities = Array(towns.prefix(Self.mostNeighbours))
        return found
    }

    /// A row of the index of areas: an area, and whether it stands there by its letters.
    private func areaEntry(_ row: Int) throws(PlaceDataError) -> (area: Int, isLetters: Bool) {
        let entry = try areaIndex.number(row, at: 0, bytes: 2)
        return (entry & 0x7FFF, entry & 0x8000 != 0)
    }

    /// Calls with the rows of a sorted table whose key is that one.
    private func forEachRow(
        of count: Int, equalTo name: [UInt8], key: (Int) throws(PlaceDataError) -> [UInt8],
        body: (Int) throws(PlaceDataError) -> Void
    ) throws(PlaceDataError) {
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) / 2
            if try key(middle).lexicographicallyPrecedes(name) { low = middle + 1 } else { high = middle }
        }
        while low < count, try key(low) == name {
            try body(low)
            low += 1
        }
    }

    /// The countries with those two or three letters of ISO 3166-1.
    private func countries(letters name: [UInt8]) throws(PlaceDataError) -> Set<Int> {
        var found: Set<Int> = []
        let letters = name.map { $0 & 0xDF }
        for row in 0..<countries.count {
            var isSame = true
            for (place, letter) in letters.enumerated() where isSame {
                isSame = try countries.number(row, at: (letters.count == 2 ? 0 : 2) + place, bytes: 1) == Int(letter)
            }
            if isSame { found.insert(row + 1) }
        }
        return found
    }

    func placeOfCity(_ city: CityGrid.City) throws(PlaceDataError) -> Place {
        var place = Place(latitude: city.latitude, longitude: city.longitude, radius: city.reach * 1000)
        try setCountry(areaCountry(city.area), of: &place)
        place.administrativeArea = try text(areas, city.area, at: 2)
        place.locality = try texts.text(at: city.name)
        place.timeZone = try text(zones, city.zone, at: 0)
        return place
    }

    func placeOfCountry(_ label: Int) throws(PlaceDataError) -> Place {
        var place = Place(
            latitude: Double(try countries.signed(label - 1, at: 8)) / 100,
            longitude: Double(try countries.signed(label - 1, at: 10)) / 100,
            radius: Double(try countries.number(label - 1, at: 12, bytes: 2)) * 1000)
        try setCountry(label, of: &place)
        return place
    }

    /// An area is where its cities are: its middle is the mean of theirs. Nil when it has none.
    func placeOfArea(_ area: Int) throws(PlaceDataError) -> Place? {
        var members: [CityGrid.City] = []
        try cities.forEachCity { city in if city.area == area { members.append(city) } }
        guard let first = members.first else { return nil }
        let latitude = members.reduce(0) { $0 + $1.latitude } / Double(members.count)
        let offset = members.reduce(0) { $0 + remainder($1.longitude - first.longitude, 360) } / Double(members.count)
        let longitude = remainder(first.longitude + offset, 360)
        let reach = members.reduce(10) { max($0, CityGrid.distance($1, latitude, longitude)) }
        var place = Place(latitude: latitude, longitude: longitude, radius: reach * 1000)
        try setCountry(areaCountry(area), of: &place)
        place.administrativeArea = try text(areas, area, at: 2)
        return place
    }
}
