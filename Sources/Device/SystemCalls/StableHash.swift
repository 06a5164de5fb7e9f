// SPDX-License-Identifier: Apache-2.0

/// A hash that is the same in every process and on every machine, for names of files. No protection against anybody.
package enum StableHash {
    /// Sixteen hexadecimal digits: FNV-1a, 64 bits, http://www.isthe.com/chongo/tech/comp/fnv/
    package static func text(_ bytes: some Sequence<UInt8>) -> String {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
        let digits = String(hash, radix: 16)
        return String(repeating: "0", count: max(0, 16 - digits.count)) + digits
    }
}
