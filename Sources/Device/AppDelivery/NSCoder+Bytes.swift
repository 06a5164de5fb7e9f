// SPDX-License-Identifier: Apache-2.0

package import Foundation

// Archives are untrusted files, so numbers and text are encoded as byte arrays, the only values that Foundation on
// Linux decodes safely. With other types, Foundation terminates the process if an object has an unexpected class, and
// discards the whole archive if a key is missing. If a value has the wrong type, Foundation returns 0, which could be
// mistaken for perfect accuracy.
extension NSCoder {
    package func encode(words: [UInt64], forKey key: String) {
        encode(bytes: words.flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> (56 - 8 * $0)) } }, key)
    }

    /// Returns nil if the value is missing, has the wrong type, or contains fewer than `count` words. Ignores
    /// additional words, which later versions may write.
    package func decodeWords(_ count: Int, forKey key: String) -> [UInt64]? {
        guard let bytes = decodeBytes(forKey: key), bytes.count >= count * 8 else { return nil }
        return (0..<count).map { word in bytes[word * 8..<word * 8 + 8].reduce(0) { $0 << 8 | UInt64($1) } }
    }

    package func encode(text: String, forKey key: String) { encode(bytes: Array(text.utf8), key) }

    /// Returns nil if the value is missing, has the wrong type, or is not valid UTF-8.
    package func decodeText(forKey key: String) -> String? {
        decodeBytes(forKey: key).flatMap { String(validating: $0, as: UTF8.self) }
    }

    /// Returns true if the archive supports keyed coding but contains none of the given keys.
    package func containsNone(of keys: [String]) -> Bool {
        allowsKeyedCoding && !keys.contains { containsValue(forKey: $0) }
    }

    private func encode(bytes: [UInt8], _ key: String) {
        bytes.withUnsafeBufferPointer { encodeBytes($0.baseAddress, length: $0.count, forKey: key) }
    }

    private func decodeBytes(forKey key: String) -> [UInt8]? {
        // Foundation terminates the process if a key is used with a coder that does not support keyed coding.
        guard allowsKeyedCoding else { return nil }
        return withDecodedUnsafeBytes(forKey: key) { $0.map(Array.init) }
    }
}
