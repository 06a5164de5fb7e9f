// SPDX-License-Identifier: Apache-2.0

import Foundation
import SensorTools
import Testing

@Suite("Units of text and figures", .toolIsBuilt, .waiting)
struct UnitTests {
    @Test("Units have their legal sizes")
    func sizes() {
        // A mile is 1609.344 m, a foot 0.3048 m and a nautical mile 1852 m. 10 m/s are 36,000 m/h.
        for (system, speed, names) in [
            (UnitSystem.metric, 36.0, ["km/h", "m", "km"]), (.imperial, 36_000 / 1609.344, ["mph", "ft", "mi"]),
            (.nautical, 36_000 / 1852, ["kn", "ft", "NM"]),
        ] {
            #expect(abs(10 * system.speed.perSI - speed) < 1e-12)
            #expect([system.speed, system.length, system.distance].map(\.name) == names)
        }
        #expect(abs(304.8 * UnitSystem.imperial.length.perSI - 1000) < 1e-9)
        #expect(UnitSystem.metric.unit(for: 999).name == "m" && UnitSystem.metric.unit(for: 1000).name == "km")
        #expect(UnitSystem.imperial.unit(for: 1609).name == "ft" && UnitSystem.imperial.unit(for: 1610).name == "mi")
        #expect(UnitSystem.nautical.unit(for: 1851).name == "ft" && UnitSystem.nautical.unit(for: 1853).name == "NM")
    }

    @Test("A replay prints the chosen units, and the same JSON in all of them")
    func replay() throws {
        let json = try Tool.run(["replay", Tool.drive, "location", "--json", "--from", "60", "--to", "61"])
        let object = try #require(
            try json.lines.compactMap {
                try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
            }.compactMap { ($0["locations"] as? [[String: Any]])?.first }.first)
        let speed = try #require(object["speed"] as? Double)
        let altitude = try #require(object["altitude"] as? Double)
        #expect(speed > 5 && altitude > 500)
        for (units, speedFactor, lengthFactor, speedUnit, lengthUnit) in [
            ("metric", 3.6, 1, "km/h", "m"), ("imperial", 3600 / 1609.344, 1 / 0.3048, "mph", "ft"),
            ("nautical", 3600 / 1852.0, 1 / 0.3048, "kn", "ft"),
        ] {
            let options = ["--from", "60", "--to", "61", "--units", units]
            let text = try Tool.run(["replay", Tool.drive, "location"] + options).output
            #expect(text.contains(String(format: "%.1f %@ ", speed * speedFactor, speedUnit)), "\(text)")
            #expect(text.contains(String(format: "%.1f %@ ", altitude * lengthFactor, lengthUnit)), "\(text)")
            #expect(try Tool.run(["replay", Tool.drive, "location", "--json"] + options).lines == json.lines)
        }
        let wrong = try Tool.run(["replay", Tool.drive, "location", "--units", "feet"])
        #expect(wrong.status == 64 && wrong.notes.contains("nautical"), "\(wrong.notes)")
    }

    @Test("A plot and a demo show the chosen units, and the numbers of a plot stay in SI units")
    func plotAndDemo() throws {
        let numbers = try Tool.run(["plot", Tool.drive, "speed", "altitude", "--json"])
        #expect(numbers.output.contains(#""unit":"m/s""#) && numbers.output.contains(#""unit":"m""#))
        for (units, names) in [
            ("metric", ["km/h", "data-unit=\"m\"", " m<"]), ("imperial", ["mph", "data-unit=\"ft\"", " ft<"]),
            ("nautical", ["kn", "data-unit=\"ft\"", " ft<"]),
        ] {
            let svg = try Tool.run(["plot", Tool.drive, "speed", "altitude", "track", "-o", "-", "--units", units])
                .output
            for name in names { #expect(svg.contains(name), "\(units) \(name)") }
            #expect(!svg.contains("m/s"))
            #expect(
                try Tool.run(["plot", Tool.drive, "speed", "altitude", "--json", "--units", units]).output
                    == numbers.output)
        }
        let demo = try Tool.run(["demo", Tool.drive, "--units", "imperial"]).output
        #expect(demo.contains(" mph ") && demo.contains(" mi,"), "\(demo.suffix(400))")
    }
}
