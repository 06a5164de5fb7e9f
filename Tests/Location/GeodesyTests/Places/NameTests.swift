// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import Places

@Suite("Search for places by name")
struct NameTests {
    private let data: PlaceData

    init() throws { data = try ShippedData.places.get() }

    @Test("Accents are removed as in Unicode's decomposition")
    func folding() throws {
        for row in try ReferenceTable.rows("folded.tsv", hasNames: false) {
            #expect(try String(decoding: data.folded(row[0]), as: UTF8.self) == row[1])
        }
    }

    @Test(
        "Letters without a decomposition, punctuation and other scripts are folded",
        arguments: [
            ("Łódź", "lodz"), ("Straße", "strasse"), ("København", "kobenhavn"), ("Île-de-France", "ile de france"),
            ("  St.  Gallen ", "st gallen"), ("L'Aquila", "laquila"), ("İstanbul", "istanbul"), ("МОСКВА", "москва"),
            ("e\u{301}", "e"), ("東京", "東京"), ("", ""), ("---", ""),
        ])
    func plainForms(_ text: String, _ plain: String) throws {
        #expect(try String(decoding: data.folded(text), as: UTF8.self) == plain)
    }

    /// Latitudes and longitudes are from Wikipedia's articles, to a tenth of a degree.
    @Test(
        "A city is found by its names, alone or with the areas that contain it",
        arguments: [
            ("Berlin", 52.5, 13.4), ("berlin, germany", 52.5, 13.4), ("München", 48.1, 11.6), ("Munich", 48.1, 11.6),
            ("Wien", 48.2, 16.4), ("Praha", 50.1, 14.4), ("Paris", 48.9, 2.4), ("Paris, Texas", 33.7, -95.6),
            ("Paris, TX, USA", 33.7, -95.6), ("Paris TX", 33.7, -95.6), ("Paris France", 48.9, 2.4),
            ("Springfield, Illinois", 39.8, -89.6), ("Springfield, MA", 42.1, -72.5), ("London, Ontario", 43.0, -81.2),
            ("London, UK", 51.5, -0.1), ("10115 Berlin, DE", 52.5, 13.4), ("San Jose, Costa Rica", 9.9, -84.1),
            ("1 Infinite Loop, Cupertino, CA 95014, USA", 37.3, -122.0), ("New York", 40.7, -74.0),
            ("Washington", 38.9, -77.0), ("SÃO PAULO", -23.5, -46.6), ("saint-denis, réunion", -20.9, 55.4),
        ])
    func cities(_ text: String, _ latitude: Double, _ longitude: Double) throws {
        let place = try #require(try data.first(text))
        #expect(abs(place.latitude - latitude) < 0.2)
        #expect(abs(place.longitude - longitude) < 0.2)
        #expect(place.locality != nil)
        #expect(place.radius > 1000 && place.radius < 40_000)
    }

    @Test(
        "An unknown county or a postal code in an address does not prevent a match of the town",
        arguments: [
            ("Oxford, Oxfordshire, UK", 51.8, -1.3), ("Cupertino, Santa Clara County, CA, United States", 37.3, -122.0),
            ("Nice, Alpes-Maritimes, France", 43.7, 7.3), ("Springfield, Sangamon County, Illinois, USA", 39.8, -89.6),
            ("Slough, Berkshire, England", 51.5, -0.6), ("Dublin, Co. Dublin, Ireland", 53.3, -6.3),
            ("Sydney NSW 2000, Australia", -33.9, 151.2), ("1 Infinite Loop, Cupertino CA 95014, USA", 37.3, -122.0),
            ("Cupertino, Santa Clara, CA", 37.3, -122.0), ("London, ON", 43.0, -81.2), ("Newcastle NSW", -32.9, 151.8),
            ("Milano, MI, Italy", 45.5, 9.2), ("Torino, TO, Italy", 45.1, 7.7),
            ("San Juan, Puerto Rico, USA", 18.4, -66.1),
        ])
    func addresses(_ text: String, _ latitude: Double, _ longitude: Double) throws {
        try cities(text, latitude, longitude)
    }

    @Test("A town with an unknown abbreviation is not found")
    func unknownLetters() throws {
        #expect(try data.places(PlaceQuery(text: "London, QQ")) == .notFound)
    }

    @Test("Countries and areas are found by name and precede small cities of the same name")
    func larger() throws {
        for (text, code, area) in [
            ("Germany", "DE", nil), ("Georgia", "GE", nil), ("USA", "US", nil), ("Mexico", "MX", nil),
            ("California", "US", "California"), ("Bavaria", "DE", "Bavaria"), ("Texas, US", "US", "Texas"),
        ] {
            let place = try #require(try data.first(text))
            #expect(place.countryCode == code)
            #expect(place.administrativeArea == area)
            #expect(place.locality == nil)
            #expect(place.radius > 50_000)
        }
    }

    @Test("An unknown town is not replaced by its country")
    func onlySurroundings() throws {
        #expect(try data.places(PlaceQuery(text: "Nowhereville, Germany")) == .onlySurroundings("Germany"))
        #expect(try data.places(PlaceQuery(text: "Nowhereville, Texas")) == .onlySurroundings("Texas"))
        #expect(try data.places(PlaceQuery(text: "Berlin, Japan")) == .onlySurroundings("Japan"))
    }

    @Test("A prefix finds the largest city that begins with it")
    func beginning() throws {
        #expect(try data.first("San Franc")?.locality == "San Francisco")
        #expect(try data.places(PlaceQuery(text: "xqzzy")) == .notFound)
    }

    @Test("The index finds every city by its name and by a prefix")
    func index() throws {
        for number in stride(from: 0, to: data.cities.count, by: 17) {
            let name = try data.folded(data.texts.text(at: data.cities.nameOffset(number)))
            #expect(try data.cities(named: name).contains(number))
            let beginning = Array(name.prefix(9))
            let first = try data.cities(withPrefix: beginning).first
            let found = try data.folded(data.texts.text(at: data.cities.nameOffset(#require(first))))
            #expect(found.starts(with: beginning) || found != name)
        }
    }

    @Test("Places within the circle of a query precede others and are sorted by distance")
    func circle() throws {
        // A circle around Springfield, Massachusetts.
        let query = PlaceQuery(text: "Springfield", circle: (42.1, -72.6, 50_000))
        guard case .found(let places) = try data.places(query) else {
            Issue.record("nothing was found")
            return
        }
        #expect(places.first?.administrativeArea == "Massachusetts")
        #expect(places.count == 5)
        // London in England is larger than London in Ontario.
        let far = PlaceQuery(text: "London", circle: (43, -81, 100_000))
        guard case .found(let ontario) = try data.places(far) else { return }
        #expect(ontario.first?.countryCode == "CA")
    }

    @Test("Countries and areas are also sorted by distance from the centre of a query's circle")
    func circleOfAreas() throws {
        // A circle around Atlanta.
        let query = PlaceQuery(text: "Georgia", circle: (33.75, -84.39, 300_000))
        guard case .found(let places) = try data.places(query) else {
            Issue.record("nothing was found")
            return
        }
        #expect(places.first?.countryCode == "US")
        #expect(places.first?.administrativeArea == "Georgia")
        #expect(places.contains { $0.countryCode == "GE" })
    }

    @Test(
        "A country is found by its names in other languages, its common names and its ISO 3166 codes",
        arguments: [
            ("Köln, Deutschland", "DE"), ("Wien, Österreich", "AT"), ("Madrid, España", "ES"), ("Praha, Česko", "CZ"),
            ("Helsinki, Suomi", "FI"), ("København, Danmark", "DK"), ("Torino, Italia", "IT"), ("Genève, Suisse", "CH"),
            ("Estados Unidos", "US"), ("Vereinigtes Königreich", "GB"), ("Congo", "CG"), ("DR Congo", "CD"),
            ("Korea (South)", "KR"), ("Palestine", "PS"), ("Macedonia", "MK"), ("Burma", "MM"), ("Swaziland", "SZ"),
            ("East Timor", "TL"), ("Russian Federation", "RU"), ("Zürich, CH", "CH"), ("US", "US"), ("DE", "DE"),
            ("de", "DE"), ("BO", "BO"), ("Bo", "SL"), ("DEU", "DE"),
        ])
    func countries(_ text: String, _ code: String) throws {
        let place = try #require(try data.first(text))
        #expect(place.countryCode == code)
        #expect((place.locality == nil) == (text.split(separator: ",").count == 1 && text != "Bo"))
    }

    @Test("Meaningless text of any length yields no place")
    func garbage() throws {
        for text in [
            "", " ", ",,,", "12345", "\0", "\u{FFFD}", ";;;", String(repeating: "a", count: 1_000_000),
            String(repeating: ",", count: 1_000_000), String(repeating: "q,", count: 499),
            String(repeating: "e\u{301}", count: 300), String(repeating: "😀", count: 200),
        ] {
            #expect(try data.places(PlaceQuery(text: text)) == .notFound)
        }
        var random = TestRandom()
        for _ in 0..<300 {
            let bytes = (0..<Int.random(in: 1...60, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            _ = try data.places(PlaceQuery(text: String(decoding: bytes, as: UTF8.self)))
        }
    }
}
