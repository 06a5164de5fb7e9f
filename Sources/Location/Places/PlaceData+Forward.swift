// SPDX-License-Identifier: Apache-2.0

/// Searches for places by name.
extension PlaceData {
    private static let maximumResults = 5
    /// The size of a city with 100,000 inhabitants. If the largest city with a name is at least this large, all cities
    /// with that name precede the areas.
    private static let largeCitySize = 166

    /// Finds the places that a query names, for example as "city", "city, area" or "city, area, country". Parts before
    /// the place, such as a street, are ignored. Case, accents and words with digits (postal codes) are also ignored.
    /// Areas may be abbreviated, and countries may be ISO 3166-1 codes. If no place matches all the parts after its
    /// name, unknown parts, such as a county, are ignored. If no place has the name, places whose names begin with it
    /// are returned.
    package func places(_ query: PlaceQuery) throws(PlaceDataError) -> PlaceMatch {
        guard query.text.utf8.count <= PlaceQuery.maximumTextLength else { return .notFound }
        var parts: [[UInt8]] = []
        for part in query.text.split(whereSeparator: { ",;\n،、，".contains($0) }).prefix(PlaceQuery.maximumParts) {
            let words = try folded(part).split(separator: 0x20).filter { !$0.contains { (0x30...0x39).contains($0) } }
            if !words.isEmpty { parts.append(Array(words.joined(separator: [0x20]))) }
        }
        guard let first = parts.first else { return .notFound }
        var surroundings: [Surroundings] = []
        for (number, part) in parts.enumerated() {
            surroundings.append(try self.surroundings(part, query, isHead: number == 0))
        }
        let exactMatch = try places(parts, surroundings, query) { Array($0) }
        if case .found = exactMatch { return exactMatch }
        let partialMatch = try places(parts, surroundings, query) { (following) throws(PlaceDataError) in
            try self.compatibleParts(of: following)
        }
        if case .found = partialMatch { return partialMatch }
        if let places = try placesWithTrailingArea(parts, surroundings, query) { return .found(places) }
        if parts.count > 1 { return exactMatch == .notFound ? partialMatch : exactMatch }
        guard first.count >= 3 else { return .notFound }
        let cities = try ranked(cities(withPrefix: first), query)
        return cities.isEmpty ? .notFound : .found(cities)
    }

    /// Tries each part in turn as the name of the requested place, until places are found. `compatible` receives the
    /// parts after the current name, and returns those that the place must match. If it returns nil, the name is
    /// skipped.
    private func places(
        _ parts: [[UInt8]], _ surroundings: [Surroundings], _ query: PlaceQuery,
        _ compatible: (ArraySlice<Surroundings>) throws(PlaceDataError) -> [Surroundings]?
    ) throws(PlaceDataError) -> PlaceMatch {
        for partIndex in parts.indices {
            guard let within = try compatible(surroundings[(partIndex + 1)...]) else { continue }
            let found = try places(named: parts[partIndex], surroundings[partIndex], within, query)
            guard let best = found.first else { continue }
            // An unknown part before a town may be a street, and is ignored. An unknown part before an area may be a
            // town, in which case only the area is known.
            return partIndex > 0 && best.locality == nil ? .onlySurroundings(best.name ?? "") : .found(found)
        }
        return .notFound
    }

    /// Returns the parts that name an area or a country. Omits each part that contradicts the parts after it. Returns
    /// nil if no parts are left and an unknown part may be an abbreviation.
    private func compatibleParts(of parts: ArraySlice<Surroundings>) throws(PlaceDataError) -> [Surroundings]? {
        var compatible: [Surroundings] = []
        var isUnknown = false
        for part in parts.reversed() {
            var part = part
            if let last = compatible.last {
                let countries = last.countries.union(try countries(ofAreas: last.areas))
                let outside = part.countries.subtracting(countries)
                part.countries.formIntersection(countries)
                part.areas = try areas(part.areas) { countries.contains($0) }
                // If this part is a territory with its own country code, as in "Puerto Rico, USA", it replaces the
                // country after it.
                if part.isEmpty, !part.isPossibleAbbreviation, !outside.isEmpty {
                    part.countries = outside
                    compatible = []
                }
            }
            if part.isEmpty { isUnknown = isUnknown || part.isPossibleAbbreviation } else { compatible.append(part) }
        }
        // Without this check, an unknown abbreviation would be ignored, and "London, QQ" would match every London.
        return compatible.isEmpty && isUnknown ? nil : compatible
    }

    private func countries(ofAreas areas: Set<Int>) throws(PlaceDataError) -> Set<Int> {
        var countries: Set<Int> = []
        for area in areas { countries.insert(try areaCountry(area)) }
        return countries
    }

    private func areas(_ areas: Set<Int>, _ includes: (Int) -> Bool) throws(PlaceDataError) -> Set<Int> {
        var found: Set<Int> = []
        for area in areas where includes(try areaCountry(area)) { found.insert(area) }
        return found
    }

    /// Interprets the last words of a part as an area or country, as in "Paris TX" or "Sydney NSW 2000, Australia".
    private func placesWithTrailingArea(
        _ parts: [[UInt8]], _ surroundings: [Surroundings], _ query: PlaceQuery
    ) throws(PlaceDataError) -> [Place]? {
        for partIndex in parts.indices {
            guard let partsAfter = try compatibleParts(of: surroundings[(partIndex + 1)...]) else { continue }
            let words = parts[partIndex].split(separator: 0x20)
            for count in stride(from: 1, through: min(3, words.count - 1), by: 1) {
                let area = try self.surroundings(Array(words.suffix(count).joined(separator: [0x20])), query)
                guard !area.isEmpty else { continue }
                let name = Array(words.dropLast(count).joined(separator: [0x20]))
                let nameSurroundings = try self.surroundings(name, query, isHead: true)
                let found = try places(named: name, nameSurroundings, [area] + partsAfter, query)
                if !found.isEmpty { return found }
            }
        }
        return nil
    }

    /// Returns up to five places with the given name that match all parts in `within`, best match first.
    private func places(
        named name: [UInt8], _ surroundings: Surroundings, _ within: [Surroundings], _ query: PlaceQuery
    ) throws(PlaceDataError) -> [Place] {
        var cities: [Int] = []
        for number in try self.cities(named: name) where try isCity(number, within: within) { cities.append(number) }
        let areas = try areas(surroundings.areas) { country in within.allSatisfy { $0.countries.contains(country) } }
        let countries = within.isEmpty ? surroundings.countries : []
        // Unless the text is entirely in upper case, a two-letter name is more likely a town than a country code.
        let isTown = name.count == 2 && !cities.isEmpty && query.text.contains(where: \.isLowercase)
        let found = try ordered(cities, areas: areas.sorted(), countries: isTown ? [] : countries.sorted(), query)
        return Array(found.prefix(Self.maximumResults))
    }

    /// Returns true if each part in `within` contains the city or names a city near it.
    private func isCity(_ number: Int, within: [Surroundings]) throws(PlaceDataError) -> Bool {
        guard !within.isEmpty else { return true }
        let city = try cities.city(number)
        let country = try areaCountry(city.area)
        for part in within where !part.areas.contains(city.area) && !part.countries.contains(country) {
            var isNear = false
            for other in part.cities where !isNear {
                let other = try cities.city(other)
                isNear = CityGrid.distance(other, city.latitude, city.longitude) < Self.maximumNeighbourDistance
            }
            guard isNear else { return false }
        }
        return true
    }

    /// The distance, in kilometres, within which two cities count as near each other.
    private static let maximumNeighbourDistance = 50.0

    private func ordered(
        _ cities: [Int], areas: [Int], countries: [Int], _ query: PlaceQuery
    ) throws(PlaceDataError) -> [Place] {
        var found: [Place] = []
        for country in countries { found.append(try place(ofCountry: country)) }
        let ranked = try ranked(cities, query)
        var countBeforeAreas = 0
        if let first = cities.max(by: { size(ofCity: $0) < size(ofCity: $1) }),
            size(ofCity: first) >= Self.largeCitySize
        {
            countBeforeAreas = ranked.count
        }
        found += ranked.prefix(countBeforeAreas)
        for area in areas { if let place = try place(ofArea: area) { found.append(place) } }
        found += ranked.dropFirst(countBeforeAreas)
        guard let circle = query.circle else { return found }
        let rows = found.enumerated().map { number, place in
            let distance = CityGrid.distance(
                from: (place.latitude, place.longitude), to: (circle.latitude, circle.longitude))
            return (place: place, number: number, distance: distance, isInside: distance * 1000 <= circle.radius)
        }
        return rows.sorted { a, b in
            if a.isInside != b.isInside { return a.isInside }
            return (a.distance, a.number) < (b.distance, b.number)
        }.map(\.place)
    }

    private func size(ofCity city: Int) -> Int { (try? cities.city(city).size) ?? 0 }

    /// Returns the cities as places, sorted by size or, if the query has a circle, by distance.
    private func ranked(_ numbers: [Int], _ query: PlaceQuery) throws(PlaceDataError) -> [Place] {
        var rows: [(city: CityGrid.City, isInside: Bool, distance: Double)] = []
        for number in numbers {
            let city = try cities.city(number)
            guard let circle = query.circle else {
                rows.append((city, true, 0))
                continue
            }
            let distance = CityGrid.distance(city, circle.latitude, circle.longitude)
            rows.append((city, distance * 1000 <= circle.radius, distance))
        }
        rows.sort { a, b in
            if a.isInside != b.isInside { return a.isInside }
            if query.circle != nil, a.distance != b.distance { return a.distance < b.distance }
            return (a.city.size, b.city.number) > (b.city.size, a.city.number)
        }
        var places: [Place] = []
        for row in rows.prefix(Self.maximumResults) { places.append(try place(ofCity: row.city)) }
        return places
    }
}

/// The areas, countries or cities to which a part of a query may refer.
struct Surroundings {
    var areas: Set<Int> = []
    var countries: Set<Int> = []
    /// The indices of the cities that the part names. Empty if the part names an area or a country.
    var cities: [Int] = []
    /// True if the part may be an abbreviation, because it is two or three bytes long.
    var isPossibleAbbreviation = false

    /// True if the part names neither an area nor a country. It may name cities.
    var isEmpty: Bool { areas.isEmpty && countries.isEmpty }
}
