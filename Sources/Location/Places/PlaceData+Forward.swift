// SPDX-License-Identifier: Apache-2.0

extension PlaceData {
    /// How many places one search gives.
    private static let mostResults = 5
    /// A city with as many inhabitants (100,000) comes before an area of its name.
    private static let largeCity = 166

    /// Finds the places of a text: "city", "city, area", "city, area, country" and the like, with other parts before them,
    /// such as a street, passed over.
    ///
    /// Case, accents and words with digits (postal codes) do not count. Areas may be given by their letters, countries by
    /// those of ISO 3166-1. Without commas the last words may say area and country too. When no place has the name,
    /// those that begin with it are found.
    package func places(_ query: PlaceQuery) throws(PlaceDataError) -> PlaceMatch {
        guard query.text.utf8.count <= PlaceQuery.longestText else { return .nothing }
        var parts: [[UInt8]] = []
        for piece in query.text.split(whereSeparator: { ",;\n،、，".contains($0) }).prefix(PlaceQuery.mostParts) {
            let words = try folded(piece).split(separator: 0x20).filter { !$0.contains { (0x30...0x39).contains($0) } }
            if !words.isEmpty { parts.append(Array(words.joined(separator: [0x20]))) }
        }
        guard let first = parts.first else { return .nothing }
        let exact = try places(parts, query)
        if parts.count > 1 { return exact }
        if exact != .nothing { return exact }
        // Without commas: the last one to three words may be what the place lies in.
        let words = first.split(separator: 0x20)
        for count in stride(from: 1, through: min(3, words.count - 1), by: 1) {
            let head = Array(words.dropLast(count).joined(separator: [0x20]))
            let tail = Array(words.suffix(count).joined(separator: [0x20]))
            if case .found(let places) = try places([head, tail], query) { return .found(places) }
        }
        guard first.count >= 3 else { return .nothing }
        let cities = try ranked(cities(beginning: first), query)
        return cities.isEmpty ? .nothing : .found(cities)
    }

    /// The parts from the smallest to the largest.
    private func places(_ parts: [[UInt8]], _ query: PlaceQuery) throws(PlaceDataError) -> PlaceMatch {
        var around: [Surroundings] = []
        for part in parts.dropFirst() { around.append(try surroundings(part, query)) }
        for head in parts.indices {
            let within = around[min(head, around.count)...]
            var cities: [Int] = []
            for number in try self.cities(named: parts[head]) {
                let area = try self.cities.city(number).area
                let country = try areaCountry(area)
                if within.allSatisfy({ $0.areas.contains(area) || $0.countries.contains(country) }) {
                    cities.append(number)
                }
            }
            let own = try surroundings(parts[head], query, isHead: true)
            let areas = own.areas.filter { area in
                guard let country = try? areaCountry(area) else { return false }
                return within.allSatisfy { $0.countries.contains(country) }
            }
            let countries = within.isEmpty ? own.countries : []
            let found = try ordered(cities, areas: areas.sorted(), countries: countries.sorted(), query)
            guard let best = found.first else { continue }
            // A street that is not known is passed over; a town that is not is not.
            if head > 0, best.locality == nil { return .onlyAround(best.name ?? "") }
            return .found(Array(found.prefix(Self.mostResults)))
        }
        return .nothing
    }

    private func ordered(
        _ cities: [Int], areas: [Int], countries: [Int], _ query: PlaceQuery
    ) throws(PlaceDataError) -> [Place] {
        var found: [Place] = []
        for country in countries { found.append(try placeOfCountry(country)) }
        let ranked = try ranked(cities, query)
        var larger = 0
        if let first = cities.max(by: { sizeOf($0) < sizeOf($1) }), sizeOf(first) >= Self.largeCity {
            larger = ranked.count
        }
        found += ranked.prefix(larger)
        for area in areas { if let place = try placeOfArea(area) { found.append(place) } }
        return found + ranked.dropFirst(larger)
    }

    private func sizeOf(_ city: Int) -> Int { (try? cities.city(city).size) ?? 0 }

    /// Cities as places: within the circle and near its middle first, else the largest first.
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
        for row in rows.prefix(Self.mostResults) { places.append(try placeOfCity(row.city)) }
        return places
    }
}

/// What a part of a text may name beside a city.
struct Surroundings {
    /// Numbers of areas.
    var areas: Set<Int> = []
    /// Labels of countries.
    var countries: Set<Int> = []
}
