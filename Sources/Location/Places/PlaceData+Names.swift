// SPDX-License-Identifier: Apache-2.0

import SystemCalls

/// Countries and areas by name, and what is known of them.
extension PlaceData {
    /// Names of countries that people write and that neither GeoNames nor ISO 3166 has.
    private static let furtherNames: [[UInt8]: String] = [
        Array("uk".utf8): "GB", Array("great britain".utf8): "GB", Array("united states of america".utf8): "US",
        Array("holland".utf8): "NL", Array("the netherlands".utf8): "NL", Array("czech republic".utf8): "CZ",
    ]

    /// The countries and areas that a folded text names. A place that is looked for itself is no two or three letters.
    func surroundings(_ name: [UInt8], _ query: PlaceQuery, isHead: Bool = false) throws(PlaceDataError) -> Surroundings
    {
        var found = Surroundings()
        var codes = query.countryCodes(name)
        if let code = Self.furtherNames[name] { codes.append(code) }
        let letters = isHead && name.count == 2 ? [] : name.map { $0 & 0xDF }
        for row in 0..<countries.count {
            let iso = try (0..<5).map { place throws(PlaceDataError) in
                UInt8(try countries.number(row, at: place, bytes: 1))
            }
            if letters == Array(iso[..<2]) || letters == Array(iso[2...])
                || codes.contains(String(decoding: iso[..<2], as: UTF8.self))
            {
                found.countries.insert(row + 1)
            } else if let text = try text(countries, row, at: 5), try folded(text) == name {
                found.countries.insert(row + 1)
            }
        }
        for row in 0..<areas.count {
            if let text = try text(areas, row, at: 2), try folded(text) == name { found.areas.insert(row) }
            if !isHead, let text = try text(areas, row, at: 5), try folded(text) == name { found.areas.insert(row) }
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
