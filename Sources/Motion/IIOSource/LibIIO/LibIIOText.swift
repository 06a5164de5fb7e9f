// SPDX-License-Identifier: Apache-2.0

#if LibIIO
enum LibIIOText {
    /// Returns the value that a function of libiio writes to a buffer, without trailing whitespace.
    static func read(_ call: String, _ function: (UnsafeMutablePointer<CChar>, Int) -> Int) throws(IIOFailure) -> String
    {
        var code = 0
        let text = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 8192) { buffer -> String in
            guard let start = buffer.baseAddress else { return "" }
            code = function(start, buffer.count)
            guard code >= 0 else { return "" }
            let bytes = UnsafeRawBufferPointer(start: start, count: min(code, buffer.count)).prefix { $0 != 0 }
            var end = bytes.endIndex
            while end > bytes.startIndex, bytes[end - 1] <= 0x20 { end -= 1 }
            return String(decoding: bytes[bytes.startIndex..<end], as: UTF8.self)
        }
        guard code >= 0 else { throw IIOFailure(call, returned: code) }
        return text
    }

    /// Returns a string that libiio owns; empty if there is none.
    static func string(_ pointer: UnsafePointer<CChar>?) -> String { pointer.map { String(cString: $0) } ?? "" }
}
#endif
