// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// Cuts bytes into lines, and counts them.
struct CallbackLines {
    private let bytes: [UInt8]
    /// Where the next line begins.
    private(set) var offset: Int
    /// The number of the line that was found last, counted from 1.
    private(set) var line: Int

    init(_ bytes: [UInt8], offset: Int = 0, line: Int = 0) {
        self.bytes = bytes
        self.offset = offset
        self.line = line
    }

    /// The next line that is not blank, without its end; nil at the end.
    mutating func next() -> Range<Int>? {
        while offset < bytes.count {
            let start = offset
            let found = bytes[start...].firstIndex(of: UInt8(ascii: "\n"))
            var end = found ?? bytes.count
            offset = found.map { $0 + 1 } ?? bytes.count
            line += 1
            while end > start, bytes[end - 1] <= UInt8(ascii: " ") { end -= 1 }
            if end > start { return start..<end }
        }
        return nil
    }
}
