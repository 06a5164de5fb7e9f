// SPDX-License-Identifier: Apache-2.0

/// Finds the place at a point.
extension PlaceData {
    /// The maximum distance, in kilometres, from a point at sea to the city that determines its country. A point on
    /// land may appear to be at sea, because the outlines omit small islands and have errors of up to 2 km.
    private static let maximumOffshoreDistance = 25.0
    /// The maximum distance, in kilometres, to the city that provides the name of a place.
    private static let maximumLocalityDistance = 100.0
    /// The maximum distance, in kilometres, to the city that provides the time zone.
    private static let maximumZoneDistance = 1500.0

    /// Returns the place at the given WGS 84 coordinates, in degrees, or nil if nothing is known about the point. Off
    /// the coast, the country is that of the nearest city within 25 km. The locality is the largest city in the country
    /// whose radius contains the point, or if there is none, the nearest city within 100 km. A point on a lake has no
    /// locality.
    package func place(latitude: Double, longitude: Double) throws(PlaceDataError) -> Place? {
        guard abs(latitude) <= 90, abs(longitude) <= 180 else { return nil }  // Also rejects NaN.
        var place = Place(latitude: latitude, longitude: longitude, radius: 0)
        var country = try land.area(latitude: latitude, longitude: longitude).label
        let isAtSea = country == 0
        var cities = try cities(near: latitude, longitude, in: country, within: Self.maximumLocalityDistance)
        if isAtSea {
            if let nearest = cities.nearest, cities.distance <= Self.maximumOffshoreDistance {
                country = try areaCountry(nearest.area)
                if try cities.largest.map({ city throws(PlaceDataError) in try areaCountry(city.area) }) ?? country
                    != country
                {
                    cities.largest = nil
                }
            } else {
                cities = NearbyCities()
            }
        }
        // Set the lake before the locality, because `setLocality` sets no locality for a point on a lake.
        let lake = try lakes.area(latitude: latitude, longitude: longitude).label
        if lake > 0 { place.inlandWater = try text(lakeNames, lake - 1, at: 0) }
        if country > 0 {
            try setCountry(country, of: &place)
            try setLocality(cities, of: &place)
            if place.timeZone == nil {
                let distantCities = try self.cities(
                    near: latitude, longitude, in: country, beyond: Self.maximumLocalityDistance,
                    within: Self.maximumZoneDistance)
                place.timeZone = try distantCities.nearest.flatMap { city throws(PlaceDataError) in
                    try text(zones, city.zone, at: 0)
                }
            }
        }
        // A point inside a city is not at sea, even if the simplified coastline runs through the city.
        if isAtSea, cities.largest == nil {
            let seaLabels = try seas.area(latitude: latitude, longitude: longitude)
            let sea = seaLabels.label > 0 ? seaLabels.label : seaLabels.oppositeLabel
            if sea > 0 { place.ocean = try text(seaNames, sea - 1, at: 0) }
            if place.timeZone == nil { place.timeZone = Self.nauticalZone(longitude) }
        }
        guard place.name != nil else { return nil }
        if place.radius == 0 { place.radius = country > 0 ? 50_000 : 100_000 }
        return place
    }

    /// The cities near a point. If a country was requested, cities in other countries are excluded.
    private struct NearbyCities {
        var nearest: CityGrid.City?
        var distance = Double.infinity
        /// The largest city whose radius contains the point.
        var largest: CityGrid.City?
    }

    /// Searches an increasing radius until a city is found, which is usually nearby. All distances are in kilometres.
    private func cities(
        near latitude: Double, _ longitude: Double, in country: Int, beyond start: Double = 0, within limit: Double
    ) throws(PlaceDataError) -> NearbyCities {
        var found = NearbyCities()
        for distance in [CityGrid.maximumRadius, Self.maximumLocalityDistance, 300, 600, Self.maximumZoneDistance]
        where found.nearest == nil && distance > start && distance <= limit {
            found = try search(latitude, longitude, country, distance)
        }
        return found
    }

    private func search(
        _ latitude: Double, _ longitude: Double, _ country: Int, _ limit: Double
    ) throws(PlaceDataError) -> NearbyCities {
        var nearest = -1
        var shortestDistance = Double.infinity
        var largest = -1
        var largestSize = -1
        var limit = limit
        try cities.forEachCity(near: latitude, longitude, within: &limit) {
            (city, distance, limit) throws(PlaceDataError) in
            let size = distance < CityGrid.maximumRadius ? try cities.size(city) : 0
            let isLarger = size > largestSize && distance <= CityGrid.radius(ofSize: size)
            guard distance < shortestDistance || isLarger else { return }
            if country != 0 { guard try areaCountry(cities.area(city)) == country else { return } }
            if distance < shortestDistance { (nearest, shortestDistance) = (city, distance) }
            if isLarger { (largest, largestSize) = (city, size) }
            // The largest city may be farther away than the nearest one, but not farther than the maximum city radius.
            limit = max(CityGrid.maximumRadius, shortestDistance)
        }
        return NearbyCities(
            nearest: nearest < 0 ? nil : try cities.city(nearest), distance: shortestDistance,
            largest: largest < 0 ? nil : try cities.city(largest))
    }

    private func setLocality(_ cities: NearbyCities, of place: inout Place) throws(PlaceDataError) {
        guard let nearest = cities.nearest else { return }
        let city = cities.largest ?? nearest
        place.administrativeArea = try text(areas, city.area, at: 2)
        place.timeZone = try text(zones, nearest.zone, at: 0)
        guard place.inlandWater == nil else { return }
        place.locality = try texts.text(at: city.nameOffset)
        place.radius = city.radius * 1000
        if nearest.number != city.number {
            place.subLocality = try texts.text(at: nearest.nameOffset)
            place.radius = nearest.radius * 1000
        }
    }

    func setCountry(_ label: Int, of place: inout Place) throws(PlaceDataError) {
        place.countryCode = try code(ofCountry: label)
        place.country = try text(countries, label - 1, at: 5)
    }

    func code(ofCountry label: Int) throws(PlaceDataError) -> String {
        let letters = try countries.integer(label - 1, at: 0, byteCount: 2)
        return String(decoding: [UInt8(letters & 0xFF), UInt8(letters >> 8)], as: UTF8.self)
    }

    func areaCountry(_ area: Int) throws(PlaceDataError) -> Int { try areas.integer(area, at: 0, byteCount: 2) }

    /// Returns the text that a row refers to, or nil if the text is empty.
    func text(_ table: PlaceTable, _ row: Int, at offset: Int) throws(PlaceDataError) -> String? {
        let text = try texts.text(at: table.integer(row, at: offset, byteCount: 3))
        return text.isEmpty ? nil : text
    }

    /// Returns the nautical time zone at the given longitude. In zone names, west is positive.
    private static func nauticalZone(_ longitude: Double) -> String {
        let hours = -Int((longitude / 15).rounded())
        return hours == 0 ? "Etc/GMT" : "Etc/GMT\(hours > 0 ? "+" : "")\(hours)"
    }
}
