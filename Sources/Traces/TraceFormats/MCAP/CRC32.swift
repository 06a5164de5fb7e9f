// SPDX-License-Identifier: Apache-2.0

/// The CRC-32 of ISO 3309, as used by zlib and MCAP: reflected polynomial 0xEDB88320. Processes eight bytes at a time
/// (slicing-by-8). Table k contains the checksum of each byte value followed by k zero bytes.
struct CRC32 {
    private static let tables: [UInt32] = {
        var tables = (0..<256).map { byte in
            var value = UInt32(byte)
            for _ in 0..<8 { value = value & 1 == 1 ? 0xedb8_8320 ^ (value >> 1) : value >> 1 }
            return value
        }
        for index in 256..<8 * 256 {
            let former = tables[index - 256]
            tables.append((former >> 8) ^ tables[Int(former & 0xff)])
        }
        return tables
    }()

    private var register: UInt32 = 0xffff_ffff
    var value: UInt32 { ~register }

    mutating func add(_ bytes: UnsafeRawBufferPointer) {
        var register = register
        Self.tables.withUnsafeBufferPointer { tables in
            func part(_ word: UInt32, _ shift: UInt32, _ table: Int) -> UInt32 {
                tables[256 * table + Int((word >> shift) & 0xff)]
            }
            var index = 0
            while bytes.count - index >= 8 {
                let low = register ^ UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt32.self))
                let high = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: index + 4, as: UInt32.self))
                register = part(low, 0, 7) ^ part(low, 8, 6) ^ part(low, 16, 5) ^ part(low, 24, 4)
                register ^= part(high, 0, 3) ^ part(high, 8, 2) ^ part(high, 16, 1) ^ part(high, 24, 0)
                index += 8
            }
            while index < bytes.count {
                register = tables[Int((register ^ UInt32(bytes[index])) & 0xff)] ^ (register >> 8)
                index += 1
            }
        }
        self.register = register
    }

    static func of(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
        var sum = CRC32()
        sum.add(bytes)
        return sum.value
    }
}
