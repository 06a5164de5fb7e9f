// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import Places

@Suite("Damaged place data")
struct DamageTests {
    /// Points on land, at borders, at sea and in lakes.
    private static let points = [
        (48.137, 11.575), (47.63, 9.37), (-21.1, 55.5), (60.6, -81.0), (41.0, 2.75), (69.5, 25.0), (10.0, 105.0),
        (-50.0, -74.0), (0.0, 0.0), (-85.0, 50.0),
    ]

    /// Runs several queries and returns the number of errors.
    private func query(_ data: PlaceData) -> Int {
        var failures = 0
        for (latitude, longitude) in Self.points {
            do { _ = try data.place(latitude: latitude, longitude: longitude) } catch { failures += 1 }
        }
        for text in ["Berlin", "Paris, Texas", "Bavaria"] {
            do { _ = try data.places(PlaceQuery(text: text)) } catch { failures += 1 }
        }
        return failures
    }

    @Test("Truncated data is rejected")
    func truncated() throws {
        let bytes = ShippedData.bytes
        var random = TestRandom()
        let lengths = (0..<100).map { _ in Int.random(in: 200..<bytes.count, using: &random) }
        for length in Array(0..<200) + lengths + [bytes.count - 1] {
            #expect(throws: PlaceDataError.self) { try PlaceData(copying: Array(bytes.prefix(length))) }
        }
        #expect(throws: PlaceDataError.self) { try PlaceData(copying: bytes + [0]) }
    }

    @Test("Truncated data with a matching length field causes errors but no crash")
    func truncatedWithMatchingSize() throws {
        let bytes = ShippedData.bytes
        var failures = 0
        for length in stride(from: 200, to: bytes.count, by: bytes.count / 60) {
            var part = Array(bytes.prefix(length))
            for index in 0..<4 { part[8 + index] = UInt8(truncatingIfNeeded: length >> (8 * index)) }
            do { failures += query(try PlaceData(copying: part)) } catch { failures += 1 }
        }
        #expect(failures > 0)
    }

    @Test("Changed bytes cause errors or wrong names but no crash")
    func changed() throws {
        var random = TestRandom()
        for round in 0..<60 {
            var bytes = ShippedData.bytes
            // Changes few or many bytes, anywhere or in the tables at the beginning.
            let end = round % 3 == 0 ? 40_000 : bytes.count
            for _ in 0..<(round % 2 == 0 ? 20 : 20_000) {
                bytes[Int.random(in: 148..<end, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            _ = query(try PlaceData(copying: bytes))
        }
        for byte in [UInt8(0), 0x7F, 0x80, 0xFF] {
            var bytes = ShippedData.bytes
            for index in 148..<bytes.count { bytes[index] = byte }
            _ = query(try PlaceData(copying: bytes))
        }
    }

    @Test("Numbers above 31 bits are rejected, because Int has 32 bits on some boards")
    func largeNumbers() throws {
        let bytes = PlaceBytes(copying: [0xFF, 0xFF, 0xFF, 0x7F, 0xFF, 0xFF, 0xFF, 0x80, 0xFF, 0xFF, 0xFF, 0xFF, 0x0F])
        #expect(try bytes.integer(at: 0, byteCount: 4) == Int(Int32.max))
        #expect(throws: PlaceDataError.self) { try bytes.integer(at: 4, byteCount: 4) }
        // Four bytes encode 28 bits. Five bytes are rejected.
        var cursor = PlaceCursor(bytes: bytes, offset: 0)
        #expect(try cursor.nextUnsigned() == 1 << 28 - 1)
        cursor = PlaceCursor(bytes: bytes, offset: 8)
        #expect(throws: PlaceDataError.self) { try cursor.nextUnsigned() }
    }

    @Test("Cell counts that exceed the data are rejected")
    func largeCounts() throws {
        // The number of entries in the grid (section 6) and in the outlines of the land (section 10).
        for (section, index) in [(6, 362), (10, 364)] {
            for count in [0x7FFF_FFFF, 0x4000_0000, 0x2000_0000, 1_000_000] {
                var bytes = ShippedData.bytes
                let start = (0..<4).reduce(index) { $0 + Int(bytes[12 + 8 * section + $1]) << (8 * $1) }
                for byte in 0..<4 { bytes[start + byte] = UInt8(truncatingIfNeeded: count >> (8 * byte)) }
                let data = try PlaceData(copying: bytes)
                #expect(throws: PlaceDataError.self) { try data.place(latitude: 48.137, longitude: 11.575) }
            }
        }
    }

    @Test("A random section table is rejected or read within bounds")
    func sections() throws {
        var random = TestRandom()
        for _ in 0..<100 {
            var bytes = Array(ShippedData.bytes.prefix(3000))
            for index in 0..<4 { bytes[8 + index] = UInt8(truncatingIfNeeded: bytes.count >> (8 * index)) }
            for section in 0..<17 {
                // Most of the sections lie within the data.
                let start = Int.random(in: 0...3200, using: &random)
                let count = Int.random(in: 0...max(0, 3050 - start), using: &random)
                for index in 0..<4 {
                    bytes[12 + section * 8 + index] = UInt8(truncatingIfNeeded: start >> (8 * index))
                    bytes[16 + section * 8 + index] = UInt8(truncatingIfNeeded: count >> (8 * index))
                }
            }
            if let data = try? PlaceData(copying: bytes) { _ = query(data) }
        }
    }
}
