// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A machine identifier that is the same for all apps from one vendor.
///
/// As with systemd's `sd_id128_get_machine_app_specific`, the identifier is the first 16 bytes of HMAC-SHA256 with the
/// machine ID as the key, marked as a random UUID (version 4). The machine ID cannot be derived from an identifier, and
/// the identifiers for different vendors are unrelated. Apps store identifiers, so the derivation must not change.
enum VendorIdentifier {
    static func make(machine: [UInt8], vendor: String) -> UUID {
        var bytes = SHA256.authenticate(Array(vendor.utf8), key: machine)
        bytes[6] = bytes[6] & 0x0F | 0x40
        bytes[8] = bytes[8] & 0x3F | 0x80
        return UUID(
            uuid: (
                bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6], bytes[7], bytes[8], bytes[9],
                bytes[10], bytes[11], bytes[12], bytes[13], bytes[14], bytes[15]
            ))
    }

    /// Returns the bundle identifier without its last part, or the app's name if there is no bundle identifier.
    static func vendor(bundleIdentifier: String?, program: String) -> String {
        guard let bundleIdentifier, let dot = bundleIdentifier.lastIndex(of: "."), dot != bundleIdentifier.startIndex
        else { return program }
        return String(bundleIdentifier[..<dot])
    }
}

/// SHA-256 (FIPS 180-4) and HMAC-SHA256 (RFC 2104), optimized for code size.
enum SHA256 {
    private static let blockSize = 64

    static func authenticate(_ message: [UInt8], key: [UInt8]) -> [UInt8] {
        var block = key.count > blockSize ? hash(key) : key
        block += [UInt8](repeating: 0, count: blockSize - block.count)
        return hash(block.map { $0 ^ 0x5C } + hash(block.map { $0 ^ 0x36 } + message))
    }

    static func hash(_ message: [UInt8]) -> [UInt8] {
        var padded = message + [0x80]
        while padded.count % blockSize != blockSize - 8 { padded.append(0) }
        withUnsafeBytes(of: (UInt64(message.count) * 8).bigEndian) { padded += $0 }
        var state: [UInt32] = [
            0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19,
        ]
        for start in stride(from: 0, to: padded.count, by: blockSize) {
            compress(padded[start..<start + blockSize], into: &state)
        }
        return state.flatMap { word in [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: word >> UInt32($0)) } }
    }

    private static func compress(_ block: ArraySlice<UInt8>, into state: inout [UInt32]) {
        var words = [UInt32](repeating: 0, count: 64)
        for (index, byte) in block.enumerated() { words[index / 4] = words[index / 4] << 8 | UInt32(byte) }
        for index in 16..<64 {
            let early = words[index - 15]
            let late = words[index - 2]
            let first = rotate(early, 7) ^ rotate(early, 18) ^ early >> 3
            let second = rotate(late, 17) ^ rotate(late, 19) ^ late >> 10
            words[index] = words[index - 16] &+ first &+ words[index - 7] &+ second
        }
        // The working variables a to h of FIPS 180-4.
        var v = state
        for index in 0..<64 {
            let sum1 = rotate(v[4], 6) ^ rotate(v[4], 11) ^ rotate(v[4], 25)
            let choice = v[4] & v[5] ^ ~v[4] & v[6]
            let first = v[7] &+ sum1 &+ choice &+ constants[index] &+ words[index]
            let sum0 = rotate(v[0], 2) ^ rotate(v[0], 13) ^ rotate(v[0], 22)
            let majority = v[0] & v[1] ^ v[0] & v[2] ^ v[1] & v[2]
            v = [first &+ sum0 &+ majority, v[0], v[1], v[2], v[3] &+ first, v[4], v[5], v[6]]
        }
        for index in 0..<8 { state[index] &+= v[index] }
    }

    private static func rotate(_ word: UInt32, _ count: UInt32) -> UInt32 { word >> count | word << (32 - count) }

    /// The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
    private static let constants: [UInt32] = [
        0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4, 0xab1c_5ed5,
        0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3, 0x72be_5d74, 0x80de_b1fe, 0x9bdc_06a7, 0xc19b_f174,
        0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f, 0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da,
        0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7, 0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967,
        0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc, 0x5338_0d13, 0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85,
        0xa2bf_e8a1, 0xa81a_664b, 0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070,
        0x19a4_c116, 0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
        0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208, 0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7, 0xc671_78f2,
    ]
}
