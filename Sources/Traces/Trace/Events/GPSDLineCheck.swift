// SPDX-License-Identifier: Apache-2.0

import JSONBytes

/// Checks that a line from gpsd can be embedded in a trace as JSON.
enum GPSDLineCheck {
    /// True if the line is a JSON object in valid UTF-8, contains no line break and can be nested in an event. Rejects
    /// Infinity and NaN, which older releases of gpsd write.
    static func isEmbeddable(_ line: UnsafeRawBufferPointer) -> Bool {
        guard line.first == UInt8(ascii: "{"), line.last == UInt8(ascii: "}"), JSONReader.isCompleteValue(line) else {
            return false
        }
        var isASCII = true
        var isInString = false
        var isEscaped = false
        var depth = 1
        for (index, byte) in line.enumerated() {
            if byte >= 0x80 { isASCII = false }
            switch byte {
            case _ where isEscaped: isEscaped = false
            case UInt8(ascii: "\\") where isInString: isEscaped = true
            case UInt8(ascii: "\""): isInString.toggle()
            case _ where isInString: break
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                if depth > JSONReader.maximumDepth { return false }
            case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
            case UInt8(ascii: "\n"), UInt8(ascii: "\r"): return false
            case UInt8(ascii: "N"), UInt8(ascii: "I"), UInt8(ascii: "i"): return false
            case UInt8(ascii: "n"):
                // Rejects `nan`, which is not valid JSON, and accepts `null`.
                if index + 1 < line.count, line[index + 1] == UInt8(ascii: "a") { return false }
            default: break
            }
        }
        return isASCII || String(validating: line, as: UTF8.self) != nil
    }
}

extension JSONReader {
    static func isCompleteValue(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let isComplete = parse(bytes) { reader throws(JSONError) -> Bool? in
            try reader.skipValue()
            try reader.finish()
            return true
        }
        return isComplete == true
    }
}
