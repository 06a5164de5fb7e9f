// SPDX-License-Identifier: Apache-2.0

import Places
import Testing

@Suite("Places at coordinates")
struct PointTests {
    private let data: PlaceData

    init() throws { data = try ShippedData.places.get() }

    private func place(_ row: [String]) throws -> Place? {
        try data.place(latitude: #require(Double(row[1])), longitude: #require(Double(row[2])))
    }

    @Test("100 points have the right country, sea and lake, and 34 of 35 cities the right name")
    func chosenPoints() throws {
        var localities = 0
        for row in try ReferenceTable.rows("points.tsv") {
            let place = try place(row)
            // Lakes without an expected country are skipped, because two sources differ about them.
            if row[0] != "lake" || !row[3].isEmpty { #expect((place?.countryCode ?? "") == row[3], "\(row)") }
            switch row[0] {
            case "city":
                let isCorrect = try data.same(place?.locality, row[5]) || data.same(place?.locality, row[6])
                localities += isCorrect ? 1 : 0
                #expect(place?.timeZone == row[4])
            case "ocean": #expect(try data.same(place?.ocean, row[5]), "\(row)")
            case "lake": #expect(place?.inlandWater == row[5])
            default: break
            }
        }
        // 34 is the result of the best known rule. Jinja fails because a larger town is nearby.
        #expect(localities >= 34)
    }

    @Test("Countries and seas agree with the outlines from which the data was generated")
    func drawnPoints() throws {
        var wrong: [String: Int] = [:]
        for row in try ReferenceTable.rows("drawn.tsv") {
            let place = try place(row)
            if (place?.countryCode ?? "") != row[3] { wrong[row[0], default: 0] += 1 }
            if row[0] == "sea", try !data.same(place?.ocean, row[4]) { wrong["name of a sea", default: 0] += 1 }
        }
        #expect(wrong == [:])
    }

    @Test("The smallest named place is the nearest city of the country")
    func nearestCity() throws {
        for row in try ReferenceTable.rows("drawn.tsv") where row[0] == "city" {
            let place = try place(row)
            #expect((place?.subLocality ?? place?.locality) == row[5], "\(row)")
        }
    }

    @Test("Poles have places, and both longitudes of the antimeridian yield the same country")
    func edges() throws {
        for latitude in stride(from: -90.0, through: 90, by: 15) {
            let west = try data.place(latitude: latitude, longitude: -180)
            let east = try data.place(latitude: latitude, longitude: 180)
            #expect(west != nil)
            #expect(west?.countryCode == east?.countryCode)
        }
        #expect(try data.place(latitude: 90, longitude: 0)?.ocean == "Arctic Ocean")
        #expect(try data.place(latitude: -90, longitude: 0)?.countryCode == "AQ")
        // Taveuni, an island of Fiji, lies on the antimeridian.
        #expect(try data.place(latitude: -16.82, longitude: 179.99)?.countryCode == "FJ")
        #expect(try data.place(latitude: -16.80, longitude: -179.99)?.countryCode == "FJ")
    }

    @Test("In the far north, the nearest city of the country determines the time zone")
    func farNorth() throws {
        #expect(try data.place(latitude: 76, longitude: -60)?.timeZone?.hasPrefix("America/") == true)
        #expect(try data.place(latitude: 79.5, longitude: 97)?.timeZone == "Asia/Krasnoyarsk")
    }

    @Test("Invalid coordinates have no place")
    func noPlace() throws {
        for (latitude, longitude) in [
            (Double.nan, 0.0), (0, .nan), (90.001, 0), (-90.001, 0), (0, 180.001), (0, -180.001), (.infinity, 0),
            (0, -.infinity), (1e308, 1e308),
        ] {
            #expect(try data.place(latitude: latitude, longitude: longitude) == nil)
        }
    }

    @Test("A point near the coast has a country and a sea, and a point 60 km offshore only a sea")
    func offTheCoast() throws {
        // Points 12 km and 60 km south-east of Barcelona's harbour mouth.
        let near = try data.place(latitude: 41.30, longitude: 2.28)
        #expect(near?.countryCode == "ES")
        #expect(near?.ocean == "Balearic Sea")
        let far = try data.place(latitude: 41.0, longitude: 2.75)
        #expect(far?.countryCode == nil)
        #expect(far?.ocean == "Balearic Sea")
        #expect(far?.timeZone == "Etc/GMT")
    }

    @Test("Overseas territories have their own ISO 3166 codes")
    func overseas() throws {
        for (latitude, longitude, code) in [
            (4.93, -52.33, "GF"), (-21.1, 55.5, "RE"), (16.0, -61.7, "GP"), (14.6, -61.0, "MQ"), (-12.8, 45.15, "YT"),
            (78.22, 15.65, "SJ"), (12.17, -68.26, "BQ"), (-10.45, 105.65, "CX"), (48.85, 2.35, "FR"), (42.1, 9.1, "FR"),
            (22.3, 114.17, "HK"), (18.4, -66.1, "PR"), (42.6, 21.1, "XK"), (64.18, -51.7, "GL"),
        ] {
            #expect(try data.place(latitude: latitude, longitude: longitude)?.countryCode == code)
        }
    }
}
