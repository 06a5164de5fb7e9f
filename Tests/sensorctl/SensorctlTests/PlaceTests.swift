// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

#if OfflinePlaces
@Suite("sensorctl place", .toolIsBuilt, .waiting)
struct PlaceTests {
    private static let keys: Set = [
        "latitude", "longitude", "name", "isoCountryCode", "country", "administrativeArea", "locality", "subLocality",
        "timeZone", "ocean", "inlandWater",
    ]

    private static func objects(_ arguments: [String], input: Data? = nil, status: Int32 = 0) throws -> [[String: Any]]
    {
        let result = try Tool.run(["place", "--json"] + arguments, input: input)
        #expect(result.status == status, "\(result.notes)")
        return try result.lines.map { line in
            let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            return try #require(object)
        }
    }

    @Test("A coordinate, even with a leading minus sign, results in one object with every key")
    func coordinate() throws {
        for (text, code, locality) in [
            ("48.137,11.575", "DE", "Munich"), ("-33.9,151.2", "AU", "Sydney"),
            ("-22.9, -43.2", "BR", "Rio de Janeiro"),
        ] {
            let objects = try Self.objects([text])
            #expect(objects.count == 1)
            let object = try #require(objects.first)
            #expect(Set(object.keys) == Self.keys)
            #expect(object["isoCountryCode"] as? String == code)
            #expect(object["locality"] as? String == locality)
            #expect(object["ocean"] is NSNull)
        }
    }

    @Test("A name is resolved to the matching places, best match first")
    func text() throws {
        #expect(try Self.objects(["Paris, Texas"]).first?["administrativeArea"] as? String == "Texas")
        #expect(try Self.objects(["New", "York"]).first?["isoCountryCode"] as? String == "US")
        let plain = try Tool.run(["place", "--locale", "en", "Wien"])
        #expect(plain.output.hasSuffix("Vienna, Austria (Europe/Vienna)\n"))
    }

    @Test("Each input line results in one object, and invalid lines result in status 65")
    func lines() throws {
        let garbage = String(repeating: "9", count: 100_000)
        let input = "48.137,11.575\r\nfoo\n\n91,0\nnan,nan\n\(garbage)\n60.6 -81\n0x10,1\n\u{1B}[2J\n-33.9;151.2"
        let objects = try Self.objects(["-"], input: Data(input.utf8), status: 65)
        #expect(
            objects.map { $0["name"] as? String } == [
                "Munich", nil, nil, nil, nil, nil, "Hudson Bay", nil, nil, "Redfern",
            ])
        #expect(objects.allSatisfy { Set($0.keys) == Self.keys })
        #expect(try Self.objects(["-"], input: Data()).isEmpty)
    }

    @Test("Thousands of lines are answered, including a line of 3 MB")
    func manyLines() throws {
        let input = String(repeating: "48.137,11.575\n", count: 2000) + String(repeating: "x", count: 3_000_000)
        let objects = try Self.objects(["-"], input: Data(input.utf8), status: 65)
        #expect(objects.count == 2001)
    }

    @Test("Invalid arguments result in status 64, and unknown places in status 69 with a message")
    func wrong() throws {
        for arguments in [
            ["91,0"], ["0,181"], ["--jsno", "1,2"], [], [""], ["1,2", "-x"], ["nan,nan"], ["inf", "0"], ["0x10,1"],
            ["48,-infinity"], ["--", "nan,0"], ["--"],
        ] { #expect(try Tool.run(["place"] + arguments).status == 64, "\(arguments)") }
        for text in ["xqzzy", "Xqzzy, Germany", String(repeating: "Berlin ", count: 15_000)] {
            let result = try Tool.run(["place", text])
            #expect(result.status == 69)
            #expect(result.output.isEmpty)
            #expect(result.notes.contains(text.prefix(50)))
        }
    }

    @Test("All arguments after `--` are part of the place")
    func terminator() throws {
        for arguments in [["--", "-33.9,151.2"], ["--", "-33.9", "151.2"]] {
            #expect(try Self.objects(arguments).first?["locality"] as? String == "Sydney")
        }
        #expect(try Tool.run(["place", "--", "-xqzzy"]).status == 69)
    }

    @Test("Country names are in the given language or in that of the environment")
    func languages() throws {
        #expect(try Self.objects(["--locale", "de", "48.137,11.575"]).first?["country"] as? String == "Deutschland")
        #expect(try Self.objects(["--locale", "fr", "Berlin"]).first?["country"] as? String == "Allemagne")
        let line = try Self.objects(["--locale=it", "-"], input: Data("48.137,11.575\n".utf8)).first
        #expect(line?["country"] as? String == "Germania")
        let english = try Tool.run(["place", "48.137,11.575"], environment: ["LC_ALL": "C.UTF-8"])
        #expect(english.output.contains("Germany"))
        let spanish = try Tool.run(["place", "48.137,11.575"], environment: ["LC_ALL": "es_ES.UTF-8"])
        #expect(spanish.output.contains("Alemania"))
    }
}
#endif
