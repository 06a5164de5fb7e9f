// SPDX-License-Identifier: Apache-2.0

extension JSONReader {
    /// Skips the next value of any type and checks that it is valid. Nested values are processed iteratively, so deep
    /// nesting cannot exhaust the stack.
    package mutating func skipValue() throws(JSONError) {
        var at = offset
        var level = 0
        // One bit for each open level, the innermost level lowest: 1 for an object, 0 for an array. 64 levels fit.
        var objects: UInt64 = 0
        repeat {
            let byte = try nextByte(&at)
            switch byte {
            case UInt8(ascii: "\""):
                at &+= 1
                _ = try scanText(&at)
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                _ = try scanNumber(&at)
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                guard depth &+ level < Self.maximumDepth else { throw JSONError(.tooDeep, at: at) }
                at &+= 1
                level &+= 1
                let isObject = byte == UInt8(ascii: "{")
                objects = objects &<< 1 | (isObject ? 1 : 0)
                let next = try nextByte(&at)
                if next == (isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) { break }
                if isObject { try scanKey(&at) }
                continue
            default:
                if let literal = literal(at: at) {
                    at &+= literal.count
                } else if byte == UInt8(ascii: "-") {
                    _ = try scanNumber(&at)
                } else {
                    throw wordError(at)
                }
            }
            try scanSeparators(&at, &level, &objects)
        } while level > 0
        advance(to: at)
    }

    /// Called after a value. Closes the levels that end here and moves to the next value, if there is one.
    @inline(__always)
    private func scanSeparators(_ at: inout Int, _ level: inout Int, _ objects: inout UInt64) throws(JSONError) {
        while level > 0 {
            let isObject = objects & 1 == 1
            let byte = try nextByte(&at)
            if byte == UInt8(ascii: ",") {
                at &+= 1
                if isObject { try scanKey(&at) }
                return
            }
            guard byte == (isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) else {
                throw JSONError(.unexpectedByte, at: at)
            }
            at &+= 1
            level &-= 1
            objects &>>= 1
        }
    }

    private func scanKey(_ at: inout Int) throws(JSONError) {
        guard try nextByte(&at) == UInt8(ascii: "\"") else { throw JSONError(.unexpectedByte, at: at) }
        at &+= 1
        _ = try scanText(&at)
        try scanColon(&at)
    }
}
