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
    /// those of ISO 3166-1. The last words of a part may say what it lies in, too. What stands behind the place and is not
    /// known, such as a county, is passed over when nothing fits it. When no place has the name, those that begin with it
    /// are found.
    package func places(_ query: PlaceQuery) throws(PlaceDataError) -> PlaceMatch {
        guard query.text.utf8.count <= PlaceQuery.longestText else { return .nothing }
        var parts: [[UInt8]] = []
        for piece in query.text.split(whereSeparator: { ",;\n،、，".contains($0) }).prefix(PlaceQuery.mostParts) {
            let words = try folded(piece).split(separator: 0x20).filter { !$0.contains { (0x30...0x39).contains($0) } }
            if !words.isEmpty { parts.append(Array(words.joined(separator: [0x20]))) }
        }
        guard let first = parts.first else { return .nothing }
        var around: [Surroundings] = []
        for (number, part) in parts.enumerated() {
            around.append(try surroundings(part, query, isHead: number == 0))
        }
        let whole = try places(parts, around, query) { Array($0) }
        if case .found = whole { return whole }
        let known = try places(parts, around, query) { (behind) throws(PlaceDataError) in try self.known(of: behind) }
        if case .found = known { return known }
        if let places = try placesWithin(parts, around, query) { return .found(places) }
        if parts.count > 1 { return whole == .nothing ? known : whole }
        guard first.count >= 3 else { return .nothing }
        let cities = try ranked(cities(beginning: first), query)
        return cities.isEmpty ? .nothing : .found(cities)
    }

    /// The places of the first part that is one, in what is left of the parts behind it; nil is left of parts in which
    /// nothing is to be looked for.
    private func places(
        _ parts: [[UInt8]], _ around: [Surroundings], _ query: PlaceQuery,
        _ left: (ArraySlice<Surroundings>) throws(PlaceDataError) -> [Surroundings]?
    ) throws(PlaceDataError) -> PlaceMatch {
        for head in parts.indices {
            guard let within = try left(around[(head + 1)...]) else { continue }
            let found = try places(named: parts[head], around[head], within, query)
            guard let best = found.first else { continue }
            // A street that is not known is passed over; a town that is not is not.
            return head > 0 && best.locality == nil ? .onlyAround(best.name ?? "") : .found(found)
        }
        return .nothing
    }

    /// Those of the parts behind a place that name something where the parts behind them lie; nil when that leaves too
    /// little to go by.
    private func known(of parts: ArraySlice<Surroundings>) throws(PlaceDataError) -> [Surroundings]? {
        var kept: [Surroundings] = []
        var isUnknown = false
        for part in parts.reversed() {
            var part = part
            if let last = kept.last {
                let countries = last.countries.union(try countriesOf(last.areas))
                let outside = part.countries.subtracting(countries)
                part.countries.formIntersection(countries)
                part.areas = try areas(part.areas) { countries.contains($0) }
                // "Puerto Rico, USA": what has a code of its own is narrower than the state that it belongs to.
                if part.isEmpty, !part.isLetters, !outside.isEmpty {
                    part.countries = outside
                    kept = []
                }
            }
            if part.isEmpty { isUnknown = isUnknown || part.isLetters } else { kept.append(part) }
        }
        // "London, QQ" is not any London.
        return kept.isEmpty && isUnknown ? nil : kept
    }

    private func countriesOf(_ areas: Set<Int>) throws(PlaceDataError) -> Set<Int> {
        var countries: Set<Int> = []
        for area in areas { countries.insert(try areaCountry(area)) }
        return countries
    }

    /// Those of areas whose countries fit.
    private func areas(_ areas: Set<Int>, _ fits: (Int) -> Bool) throws(PlaceDataError) -> Set<Int> {
        var found: Set<Int> = []
        for area in areas where fits(try areaCountry(area)) { found.insert(area) }
        return found
    }

    /// Takes the last one to three words of a part for what it lies in: "Paris TX", "Sydney NSW 2000, Australia".
    private func placesWithin(
        _ parts: [[UInt8]], _ around: [Surroundings], _ query: PlaceQuery
    ) throws(PlaceDataError) -> [Place]? {
        for head in parts.indices {
            guard let behind = try known(of: around[(head + 1)...]) else { continue }
            let words = parts[head].split(separator: 0x20)
            for count in stride(from: 1, through: min(3, words.count - 1), by: 1) {
                let tail = try surroundings(Array(words.suffix(count).joined(separator: [0x20])), query)
                guard !tail.isEmpty else { continue }
                let name = Array(words.dropLast(count).joined(separator: [0x20]))
                let own = try surroundings(name, query, isHead: true)
                let found = try places(named: name, own, [tail] + behind, query)
                if !found.isEmpty { return found }
            }
        }
        return nil
    }

    /// The places of a name, and what else has it, within all of those; the best first, at most five.
    private func places(
        named name: [UInt8], _ own: Surroundings, _ within: [Surroundings], _ query: PlaceQuery
    ) throws(PlaceDataError) -> [Place] {
        var cities: [Int] = []
        for number in try self.cities(named: name) where try isCity(number, within: within) { cities.append(number) }
        let areas = try areas(own.areas) { country in within.allSatisfy { $0.countries.contains(country) } }
        let countries = within.isEmpty ? own.countries : []
        // A word of two letters is rather a town, unless it is written as letters are.
        let isTown = name.count == 2 && !cities.isEmpty && query.text.contains(where: \.isLowercase)
        let found = try ordered(
            cities, areas: areas.sorted(), countries: isTown ? [] : countries.sorted(), query)
        return Array(found.prefix(Self.mostResults))
    }

    private func isCity(_ number: Int, within: [Surroundings]) throws(PlaceDataError) -> Bool {
        guard !within.isEmpty else { return true }
        let city = try cities.city(number)
        let country = try areaCountry(city.area)
        for part in within where !part.areas.contains(city.area) && !part.countries.contains(country) {
            var isNear = false
            for other in part.cities where !isNear {
                let other = try cities.city(other)
                isNear = CityGrid.distance(other, city.latitude, city.longitude) < Self.neighbourhood
            }
            guard isNear else { return false }
        }
        return true
    }

    /// How far away a town may be that is named as what another one lies in, in kilometres.
    private static let neighbourhood = 50.0

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
        found += ranked.dropFirst(larger)
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

/// What a part of a text may name beside a city that is looked for.
struct Surroundings {
    /// Numbers of areas.
    var areas: Set<Int> = []
    /// Labels of countries.
    var countries: Set<Int> = []
    /// When it names nothing else: towns, of which the place may be a part or a neighbour.
    var cities: [Int] = []
    /// Whether it is two or three letters.
    var isLetters = false

    /// Whether it names no area and no country.
    var isEmpty: Bool { areas.isEmpty && countries.isEmpty }
}
