// SPDX-License-Identifier: Apache-2.0

package import Foundation

// Archives come from files, so nothing in them is taken for granted. Foundation on Linux is hard on archives that do
// not hold what is asked for: an object of another class than expected ends the process, a missing key fails the whole
// archive, and a value of another type reads as the number 0, which would be a perfect accuracy. Bytes are the one
// thing that can be asked for safely, and they keep every bit of a number, also of a NaN.
extension NSCoder {
    /// Writes 64-bit words, most significant byte first.
    package func encode(words: [UInt64], forKey key: String) {
        encode(bytes: words.flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> (56 - 8 * $0)) } }, key)
    }

    /// Reads what `encode(words:forKey:)` wrote; nil when there is something else or less than `count` words.
    ///
    /// More words are from a newer version and left out.
    package func decodeWords(_ count: Int, forKey key: String) -> [UInt64]? {
        guard let bytes = decodeBytes(forKey: key), bytes.count >= count * 8 else { return nil }
        return (0..<count).map { word in
            bytes[word * 8..<word * 8 + 8].reduce(0) { $0 << 8 | UInt64($1) }
        }
    }

    /// Writes a string as UTF-8.
    package func encode(text: String, forKey key: String) { encode(bytes: Array(text.utf8), key) }

    /// Reads what `encode(text:forKey:)` wrote; nil when there is something else.
    package func decodeText(forKey key: String) -> String? {
        decodeBytes(forKey: key).flatMap { String(validating: $0, as: UTF8.self) }
    }

    /// True for an archive with keys that has none of these, whatever it has under others.
    package func holdsNone(of keys: [String]) -> Bool {
        allowsKeyedCoding && !keys.contains { containsValue(forKey: $0) }
    }

    private func encode(bytes: [UInt8], _ key: String) {
        bytes.withUnsafeBufferPointer { encodeBytes($0.baseAddress, length: $0.count, forKey: key) }
    }

    private func decodeBytes(forKey key: String) -> [UInt8]? {
        // Coders without keys have no such bytes: Foundation ends the process when asked.
        guard allowsKeyedCoding else { return nil }
        return withDecodedUnsafeBytes(forKey: key) { $0.map(Array.init) }
    }
}
