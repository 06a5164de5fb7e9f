// SPDX-License-Identifier: Apache-2.0

import JSONBytes

extension GPSDDecoder {
    func malformedReport(_ line: UnsafeRawBufferPointer, _ error: JSONError) -> GPSDReport {
        // Some of gpsd's error messages contain the request, with its quotation marks unescaped.
        if let message = Self.unescapedError(line) { return .error(message) }
        if let first = line.first(where: { !Self.isBlank($0) }), first != UInt8(ascii: "{") {
            return .malformed(GPSDMalformedReport(.notAnObject, at: 0))
        }
        return .malformed(GPSDMalformedReport(error))
    }

    /// Returns the message in `{"class":"ERROR","message":"..."}`, up to the last quotation mark.
    private static func unescapedError(_ line: UnsafeRawBufferPointer) -> String? {
        var rest = line[...]
        let opening: [StaticString] = ["{", "\"class\"", ":", "\"ERROR\"", ",", "\"message\"", ":", "\""]
        for token in opening { guard consume(token, from: &rest) else { return nil } }
        let closing: [UInt8] = [UInt8(ascii: "}"), UInt8(ascii: "\"")]
        for byte in closing {
            while let last = rest.last, isBlank(last) { rest.removeLast() }
            guard rest.last == byte else { return nil }
            rest.removeLast()
        }
        let text = UnsafeRawBufferPointer(rebasing: rest.prefix(maximumTextLength))
        return JSONText(unchecked: text).string()
    }

    private static func consume(_ token: StaticString, from rest: inout Slice<UnsafeRawBufferPointer>) -> Bool {
        rest = rest.drop(while: isBlank)
        return token.withUTF8Buffer { token in
            guard rest.starts(with: token) else { return false }
            rest = rest.dropFirst(token.count)
            return true
        }
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09 }
}
