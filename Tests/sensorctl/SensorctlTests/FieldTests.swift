// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@Suite("sensorctl field", .toolIsBuilt, .waiting)
struct FieldTests {
    private static let coefficients = Tool.root + "/Tests/Location/GeodesyTests/Reference/Magnetic/WMM2025.COF"

    private static func object(_ arguments: [String]) throws -> [String: Any] {
        let result = try Tool.run(["field", "--json"] + arguments)
        #expect(result.status == 0)
        #expect(result.lines.count == 1)
        return try #require(try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any])
    }

    /// The first published test value: 48 km above 80° N, 96° W at 2025.0.
    @Test("Every input format, with the built-in model or a file, reproduces the first published value")
    func publishedValue() throws {
        let common = ["--latitude", "80", "--longitude"]
        for arguments in [
            common + ["-96", "--altitude", "48000", "--date", "2025.0"],
            common + ["264", "--altitude=48000", "--date", "2025-01-01"],
            common + ["-96.0", "--altitude", "4.8e4", "--date", "2025-01-01T00:00:00Z", "--model", Self.coefficients],
        ] {
            let object = try Self.object(arguments)
            for (key, value) in [
                ("x", 1875.982280), ("y", -1079.269389), ("z", 55_623.044051), ("horizontal", 2164.285547),
                ("total", 55_665.134163), ("declination", -29.9125), ("inclination", 87.7717), ("date", 2025),
                ("altitude", 48_000), ("latitude", 80), ("epoch", 2025),
            ] {
                let found = try #require(object[key] as? Double)
                #expect(abs(found - value) < 1e-3, "\(key)")
            }
            for (key, value) in [
                ("declinationRate", 1.248417), ("inclinationRate", -0.057537), ("horizontalRate", 55.469239),
                ("xRate", 71.596398), ("yRate", 13.214774), ("zRate", -12.148507), ("totalRate", -9.982652),
            ] { #expect(abs(try #require(object[key] as? Double) - value) < 2e-6, "\(key)") }
            // The root of 0.26² + (5417 / 2164.285547)² is 2.5164.
            #expect(abs(try #require(object["declinationUncertainty"] as? Double) - 2.5164) < 1e-4)
            #expect(object["xUncertainty"] as? Double == 137)
            #expect(object["model"] as? String == "WMM-2025")
            #expect(object["valid"] as? Bool == true)
            #expect(object["caution"] as? Bool == true)
            #expect(object["blackout"] as? Bool == false)
        }
    }

    @Test("The JSON object has exactly the documented keys")
    func keys() throws {
        let elements = ["x", "y", "z", "horizontal", "total", "declination", "inclination"]
        let others = ["latitude", "longitude", "altitude", "date", "model", "epoch", "valid", "caution", "blackout"]
        let object = try Self.object(["--latitude", "-33.9", "--longitude", "151.2"])
        #expect(
            Set(object.keys)
                == Set(elements + elements.map { $0 + "Rate" } + elements.map { $0 + "Uncertainty" } + others))
        // The default date is now, which is later than this test was written.
        #expect(try #require(object["date"] as? Double) > 2025.5)
        #expect(object["altitude"] as? Double == 0)
    }

    @Test("A date or an altitude outside the model results in values with a flag and a warning")
    func outside() throws {
        for arguments in [["--date", "2031"], ["--date", "2024-12-31"], ["--date", "2026", "--altitude", "900000"]] {
            let common = ["field", "--json", "--latitude", "48", "--longitude", "16"]
            let result = try Tool.run(common + arguments)
            #expect(result.status == 0)
            #expect(result.output.contains("\"valid\":false"))
            #expect(result.output.contains("\"total\":4") || result.output.contains("\"total\":3"))
            #expect(result.notes.contains("WMM-2025 is valid from"))
        }
        let pole = try Tool.run(["field", "--json", "--latitude", "86", "--longitude", "139", "--date", "2026"])
        #expect(pole.output.contains("\"blackout\":true"))
        #expect(pole.notes.contains("is too weak for a compass"))
    }

    @Test("The table has a line for each element")
    func table() throws {
        let result = try Tool.run([
            "field", "--latitude", "80", "--longitude", "-96", "--altitude", "48000", "--date", "2025",
        ])
        #expect(result.status == 0)
        #expect(result.lines.first == "WMM-2025 at 80.0, -96.0, 48000.0 m, year 2025.000")
        let fields = result.lines.map { $0.split(separator: " ").map(String.init) }
        #expect(fields.contains(["x", "1876.0", "71.6", "137", "nT"]))
        #expect(fields.contains(["y", "-1079.3", "13.2", "89", "nT"]))
        #expect(fields.contains(["horizontal", "2164.3", "55.5", "133", "nT"]))
        #expect(fields.contains(["inclination", "87.772", "-0.058", "0.20", "°"]))
        #expect(fields.contains { $0.first == "declination" && $0.suffix(2) == ["2.52", "°"] })
        #expect(result.notes.contains("a compass is unreliable"))
    }

    @Test(
        "Invalid values result in status 64 and a message",
        arguments: [
            (["--latitude", "91", "--longitude", "0"], "--latitude must be from -90 to 90 degrees."),
            (["--latitude", "nan", "--longitude", "0"], "--latitude must be from -90 to 90 degrees."),
            (["--latitude", "0", "--longitude", "-181"], "--longitude must be from -180 to 180"),
            (["--latitude", "0", "--longitude", "inf"], "--longitude must be from -180 to 180"),
            (["--latitude", "0", "--longitude", "0", "--altitude", "1e9"], "--altitude must be from -10000 to"),
            (["--latitude", "0", "--longitude", "0", "--date", "yesterday"], "yesterday"),
            (["--latitude", "0", "--longitude", "0", "--date", "20261121"], "1900 to 2200"),
            (["--latitude", "0"], "--longitude"),
            (["--latitude", "north", "--longitude", "0"], "north"),
        ])
    func wrongValues(arguments: [String], text: String) throws {
        let result = try Tool.run(["field"] + arguments)
        #expect(result.status == 64)
        #expect(result.output.isEmpty)
        #expect(result.notes.contains(text), "\(result.notes)")
    }

    @Test("An invalid model file results in status 65 with the line number, a missing file in 66")
    func wrongModel() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/bad.COF"
        try Data("2025.0 X 1/1/2025\n1 0 -29351.8 0.0 twelve 0.0\n".utf8).write(to: URL(fileURLWithPath: path))
        let common = ["field", "--latitude", "0", "--longitude", "0", "--model"]
        let bad = try Tool.run(common + [path])
        #expect(bad.status == 65 && bad.output.isEmpty)
        #expect(bad.notes.contains("bad.COF is not a magnetic model. Line 2: \"twelve\" is not a valid number"))
        try Tool.expect(common + [folder.path + "/none.COF"], 66, "none.COF")
        #expect(try Tool.run(common + ["/dev/zero"]).status == 66)
    }
}
