// SPDX-License-Identifier: Apache-2.0

import GPSDProtocol

extension GPSDDecoder {
    mutating func decode(_ bytes: [UInt8]) -> GPSDReport { bytes.withUnsafeBytes { decode($0) } }

    /// Decodes one line with a new decoder.
    static func decode(_ text: String) -> GPSDReport {
        var decoder = GPSDDecoder()
        return decoder.decode([UInt8](text.utf8))
    }
}
