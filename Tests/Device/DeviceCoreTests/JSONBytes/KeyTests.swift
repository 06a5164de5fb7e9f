// SPDX-License-Identifier: Apache-2.0

import JSONBytes
import TestSupport
import Testing

@Suite("JSON key lists")
struct KeyTests {
    private static let names = [
        "class", "lat", "lon", "el", "altHAE", "leapseconds", "alt", "a", "twelve_bytes", "much_too_long",
    ]

    /// Returns the key indices of each object in an array, read with one key list for all objects.
    private static func read(_ text: String) throws -> [[Int]] {
        try text.reading { reader throws(JSONError) in
            var keys = JSONKeys(names)
            var objects: [[Int]] = []
            try reader.beginArray()
            while try reader.nextElement() {
                try reader.beginObject()
                keys.beginObject()
                var indices: [Int] = []
                while let index = try keys.next(&reader) {
                    indices.append(index)
                    try reader.skipValue()
                }
                objects.append(indices)
            }
            return objects
        }
    }

    @Test("Keys are found in any order, with missing and with unknown members")
    func memberOrder() throws {
        let text = """
            [{"class":1,"lat":2,"lon":3},{"class":1,"lat":2,"lon":3},{"class":1,"lon":2,"lat":3},{"lat":1},{},\
            {"class":1,"else":2,"lat":3,"else":4,"lon":5},{"class":1,"else":2,"lat":3,"lon":5},\
            {"leapseconds":1,"twelve_bytes":2,"much_too_long":3,"a":4},{"leapseconds":1,"twelve_bytes":2,"much_too_long":3,"a":4}]
            """
        #expect(
            try Self.read(text) == [
                [0, 1, 2], [0, 1, 2], [0, 2, 1], [1], [], [0, 10, 1, 10, 2], [0, 10, 1, 2], [5, 8, 9, 7], [5, 8, 9, 7],
            ])
    }

    @Test("Keys with escapes or surrounding whitespace match, and similar keys do not")
    func forms() throws {
        #expect(
            try Self.read("[{\"l\\u0061t\":1, \"lon\" : 2 ,\n\"lat\":3},{\"la\":1,\"latt\":2,\"Lat\":3,\"\":4}]") == [
                [1, 2, 1], [10, 10, 10, 10],
            ])
        #expect(
            try Self.read("[{\"leap\\u0073econds\":1,\"leapsecondss\":2,\"much_too_lon\":3,\"al\\u0000t\":4}]") == [
                [5, 10, 10, 10]
            ])
    }

    @Test(
        "Invalid JSON throws the same error as without a key list",
        arguments: [
            "[{\"lat\":1,\"lon\":2},{\"lat\":1\"lon\":2}]", "[{\"lat\":1,\"lon\":2},{,\"lat\":1}]",
            "[{\"lat\":1,\"lon\":2},{\"lat\":1,,\"lon\":2}]", "[{\"lat\":1,\"lon\":2},{\"lat\":1,\"lon\"}]",
            "[{\"lat\":1,\"lon\":2},{\"lat\":1,\"lon\":", "[{\"lat\":1,\"lon\":2},{\"lat\":1,\"lo", "[{\"lat\":1,}]",
            "[{\"lat\":1]",
        ])
    func broken(text: String) throws {
        let error = #expect(throws: JSONError.self) {
            try text.reading { reader throws(JSONError) in try reader.skipValue() }
        }
        let expected = try #require(error)
        #expect(throws: expected) { try Self.read(text) }
    }

    @Test("Random objects yield their keys, and truncated ones throw")
    func randomObjects() throws {
        var generator = SeededGenerator(seed: 20)
        let others = ["x", "latitude", "class2", "", "nothing_that_is_known"]
        for _ in 0..<300 {
            var text = "["
            var expected: [[Int]] = []
            for object in 0..<Int.random(in: 1...6, using: &generator) {
                var indices: [Int] = []
                text += object > 0 ? ",{" : "{"
                for member in 0..<Int.random(in: 0...8, using: &generator) {
                    // Most members follow the order of the list, so that predictions both succeed and fail.
                    let isInOrder = Int.random(in: 0..<4, using: &generator) > 0
                    let index = isInOrder ? member : Int.random(in: 0...Self.names.count, using: &generator)
                    let name =
                        index < Self.names.count ? Self.names[index] : others.randomElement(using: &generator) ?? ""
                    let blank = Int.random(in: 0..<8, using: &generator) == 0 ? " " : ""
                    text += (member > 0 ? "," : "") + blank + "\"\(name)\":\(blank)\(member)"
                    indices.append(index)
                }
                text += "}"
                expected.append(indices)
            }
            text += "]"
            #expect(try Self.read(text) == expected, "\(text)")
            let truncated = String(text.prefix(Int.random(in: 0..<text.count, using: &generator)))
            #expect(throws: JSONError.self, "\(truncated)") { try Self.read(truncated) }
        }
    }

    /// Reads the same numbers with a key list, which stores the previous number's shape, and without one.
    private static func numbers(_ texts: [String]) throws -> (listed: [UInt64], plain: [UInt64]) {
        let text = "[" + texts.map { "{\"a\":\($0),\"lat\":\($0)}" }.joined(separator: ",") + "]"
        return try text.reading { reader throws(JSONError) in
            var keys = JSONKeys(names)
            var (listed, plain): ([UInt64], [UInt64]) = ([], [])
            try reader.beginArray()
            while try reader.nextElement() {
                try reader.beginObject()
                keys.beginObject()
                while let index = try keys.next(&reader) {
                    if index == 1 {
                        listed.append(try keys.doubleIfPresent(&reader).bitPattern)
                    } else {
                        plain.append(try reader.doubleIfPresent().bitPattern)
                    }
                }
            }
            return (listed, plain)
        }
    }

    @Test("The value of a number does not depend on the shape of the previous number")
    func shapes() throws {
        let some = [
            "1.5", "2.5", "-1.5", "0.25", "1.5e3", "2.5", "15", "null", "\"x\"", "NaN", "3.25", "123.456789012",
            "124.456789012", "1234567.12345678", "1234568.12345678", "1.12345678901234", "2.12345678901234",
            "2.123456789012345", "2.1234567890123456789", "0.0", "-0.0", "-0.0", "9.9", "10.0",
        ]
        let values = try Self.numbers(some)
        #expect(values.listed == values.plain)
        for text in ["1.5,\"b\":01.5", "11.5,\"b\":00.5", "1.5,\"b\":1.x", "1.50,\"b\":1.5x"] {
            let broken = text.replacing("\"b\"", with: "\"lat\"")
            #expect(throws: JSONError.self) { try Self.numbers([some[0], broken]) }
        }
        var generator = SeededGenerator(seed: 21)
        var random: [String] = []
        for _ in 0..<5000 {
            // Most numbers have the shape of the previous one.
            if let last = random.last, Int.random(in: 0..<3, using: &generator) > 0 {
                random.append(
                    String(
                        last.map { character in
                            character.isNumber && character != "0"
                                ? Character("\(Int.random(in: 1...9, using: &generator))") : character
                        }))
                continue
            }
            let digits = (0..<Int.random(in: 1...17, using: &generator)).map { _ in
                Int.random(in: 0...9, using: &generator)
            }
            let whole = Int.random(in: 0...9_999_999, using: &generator) >> Int.random(in: 0...22, using: &generator)
            random.append("\(Bool.random(using: &generator) ? "-" : "")\(whole)." + digits.map(String.init).joined())
        }
        let all = try Self.numbers(random)
        #expect(all.listed == all.plain)
        #expect(all.plain == random.map { Double($0)?.bitPattern })
    }
}
