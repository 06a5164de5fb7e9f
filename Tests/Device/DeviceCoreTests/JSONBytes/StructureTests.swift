// SPDX-License-Identifier: Apache-2.0

import JSONBytes
import Testing

@Suite("JSON structure")
struct StructureTests {
    @Test(
        "Valid values are skipped completely",
        arguments: [
            "1", "-0.5e+3", "true", "false", "null", "NaN", "-Infinity", "\"\"", "[]", "{}", "[ ]", "{ }", "[1]",
            "[[],{}]",
            "{\"a\":{\"b\":[1,2,{\"c\":null}]},\"d\":\"}\"}", " [ 1 , \"x\" , { \"a\" : [ ] } ] ", "[true,false,null]",
            "\"a \\\" b\"",
        ]
    )
    func skipsValues(text: String) throws {
        try text.reading { reader throws(JSONError) in try reader.skipValue() }
        let raw = try text.reading { reader throws(JSONError) in
            String(decoding: try reader.readRawValue(), as: UTF8.self)
        }
        #expect(raw == text.drop { $0 == " " }.description.trimmingBlanksAtEnd())
    }

    @Test(
        "Invalid values are rejected at the offending byte",
        arguments: [
            ("", JSONError(.truncated, at: 0)), ("[", JSONError(.truncated, at: 1)),
            ("[1", JSONError(.truncated, at: 2)),
            ("[1,", JSONError(.truncated, at: 3)), ("[1,]", JSONError(.unexpectedByte, at: 3)),
            ("[,1]", JSONError(.unexpectedByte, at: 1)), ("[1 2]", JSONError(.unexpectedByte, at: 3)),
            ("[1}", JSONError(.unexpectedByte, at: 2)), ("{\"a\":1]", JSONError(.unexpectedByte, at: 6)),
            ("{1:2}", JSONError(.unexpectedByte, at: 1)), ("{\"a\"}", JSONError(.unexpectedByte, at: 4)),
            ("{\"a\":}", JSONError(.unexpectedByte, at: 5)), ("{\"a\":1,}", JSONError(.unexpectedByte, at: 7)),
            ("{,}", JSONError(.unexpectedByte, at: 1)), ("]", JSONError(.unexpectedByte, at: 0)),
            ("tru", JSONError(.truncated, at: 3)), ("[-Infi", JSONError(.truncated, at: 6)),
            ("[in", JSONError(.truncated, at: 3)), ("-i", JSONError(.truncated, at: 2)),
            ("trux", JSONError(.unexpectedByte, at: 0)),
            ("nullx", JSONError(.unexpectedByte, at: 4)),
            ("{}{}", JSONError(.unexpectedByte, at: 2)), ("\0", JSONError(.unexpectedByte, at: 0)),
            ("[1]\0", JSONError(.unexpectedByte, at: 3)), ("\u{feff}1", JSONError(.unexpectedByte, at: 0)),
        ]
    )
    func refusesBrokenValues(text: String, error: JSONError) {
        #expect(throws: error) { try text.reading { reader throws(JSONError) in try reader.skipValue() } }
    }

    @Test("64 nesting levels are accepted, the 65th is rejected, and 100,000 do not exhaust the stack")
    func limitsDepth() throws {
        func nested(_ levels: Int) -> String {
            String(repeating: "[", count: levels) + String(repeating: "]", count: levels)
        }
        try nested(64).reading { reader throws(JSONError) in try reader.skipValue() }
        for levels in [65, 66, 100_000] {
            #expect(throws: JSONError(.tooDeep, at: 64)) {
                try nested(levels).reading { reader throws(JSONError) in try reader.skipValue() }
            }
        }
        let objects = String(repeating: "{\"a\":", count: 100_000)
        // 64 levels of five bytes.
        #expect(throws: JSONError(.tooDeep, at: 320)) {
            try objects.reading { reader throws(JSONError) in try reader.skipValue() }
        }
        // Containers opened by the caller count too.
        #expect(throws: JSONError(.tooDeep, at: 64)) {
            try nested(65).reading { reader throws(JSONError) in
                for _ in 0..<30 {
                    try reader.beginArray()
                    _ = try reader.nextElement()
                }
                try reader.skipValue()
            }
        }
    }

    @Test("An invalid literal throws an error, even for a caller that only peeks repeatedly")
    func brokenWords() {
        for text in ["n", "nu", "nul", "nulx", "[0,n\":180}", "[n", "{\"a\":nu"] {
            #expect(throws: JSONError.self, "\(text)") {
                try text.reading { reader throws(JSONError) in
                    if try reader.peekKind() == .array {
                        try reader.beginArray()
                        while try reader.nextElement() {
                            let kind = try reader.peekKind()
                            if kind == .null { _ = try reader.readNull() } else { try reader.skipValue() }
                        }
                    } else if try reader.peekKind() == .object {
                        try reader.beginObject()
                        while try reader.nextKey() != nil { _ = try reader.peekKind() }
                    }
                }
            }
        }
    }

    @Test("Members and elements are read in order, and misplaced commas are rejected")
    func walksMembers() throws {
        var seen: [String] = []
        try "{ \"a\" : 1.5 , \"b\" : [ true , \"x\" , null ] , \"c\" : { } }".reading { reader throws(JSONError) in
            try reader.beginObject()
            while let key = try reader.nextKey() {
                seen.append(key.string())
                switch try reader.peekKind() {
                case .number: seen.append("\(try reader.readDouble())")
                case .array:
                    try reader.beginArray()
                    while try reader.nextElement() {
                        switch try reader.peekKind() {
                        case .bool: seen.append("\(try reader.readBool())")
                        case .null: seen.append("null \(try reader.readNull())")
                        default: seen.append(try reader.readString())
                        }
                    }
                default: try reader.skipValue()
                }
            }
        }
        #expect(seen == ["a", "1.5", "b", "true", "x", "null true", "c"])
        for text in ["[1 2]", "[1,,2]", "[,1]"] {
            #expect(throws: JSONError.self) {
                try text.reading { reader throws(JSONError) in
                    try reader.beginArray()
                    while try reader.nextElement() { _ = try reader.readDouble() }
                }
            }
        }
        for text in ["{\"a\":1 \"b\":2}", "{,\"a\":1}", "{\"a\":1,}"] {
            #expect(throws: JSONError.self) {
                try text.reading { reader throws(JSONError) in
                    try reader.beginObject()
                    while try reader.nextKey() != nil { _ = try reader.readDouble() }
                }
            }
        }
    }

    @Test("A strict read leaves a value of another type in place, and a lenient read skips it")
    func leavesOtherTypes() throws {
        for text in ["\"x\"", "[1]", "{}", "true", "null", "12"] {
            _ = try text.reading { reader throws(JSONError) in
                if text != "true" {
                    #expect(throws: JSONError(.wrongType, at: 0)) { try reader.readBool() }
                }
                if text != "12", text != "null" {
                    #expect(throws: JSONError(.wrongType, at: 0)) { try reader.readDouble() }
                }
                #expect(reader.offset == 0)
                try reader.skipValue()
            }
            #expect(
                try text.reading { reader throws(JSONError) in try reader.boolIfPresent() }
                    == (text == "true" ? true : nil))
            #expect(
                try text.reading { reader throws(JSONError) in try reader.int64IfPresent() }
                    == (text == "12" ? 12 : nil))
            let string = try text.reading { reader throws(JSONError) in try reader.textIfPresent()?.string() }
            #expect(string == (text == "\"x\"" ? "x" : nil))
        }
    }

    @Test("Calls that do not match the text throw and never trap")
    func survivesMisuse() {
        for text in ["", "}", "]", "}}}}", "{}", "[]", "1", ",", ":", "\"a\"", "{\"a\"", "[[", "{\"a\":{"] {
            _ = try? text.reading { reader throws(JSONError) in
                for _ in 0..<4 {
                    _ = try? reader.nextKey()
                    _ = try? reader.nextElement()
                    _ = try? reader.beginObject()
                    _ = try? reader.beginArray()
                    _ = try? reader.readNull()
                    _ = try? reader.readText()
                    _ = try? reader.readDouble()
                    _ = try? reader.readRawValue()
                    _ = try? reader.peekKind()
                }
                #expect(reader.offset <= text.utf8.count)
            }
        }
        var reader = JSONReader(UnsafeRawBufferPointer(start: nil, count: 0))
        #expect(throws: JSONError(.truncated, at: 0)) { try reader.skipValue() }
    }
}

extension String {
    fileprivate func trimmingBlanksAtEnd() -> String {
        var text = self
        while text.last == " " { text.removeLast() }
        return text
    }
}
