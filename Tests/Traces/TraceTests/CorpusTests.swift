// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import GPSDProtocol
import TestSupport
import Testing

@testable import Trace

@Suite("Test corpus of gpsd")
struct CorpusTests {
    /// The number of lines that Python parses as JSON objects, and the `zlib.crc32` of these lines with line feeds:
    ///
    ///     for l in open(f, 'rb').read().split(b'\n'):
    ///         l = l.strip(b' \t\r\0')
    ///         try: lines += [l] if isinstance(json.loads(l), dict) else []
    ///         except ValueError: pass
    ///     zlib.crc32(b''.join(l + b'\n' for l in lines))
    static let expected: [(name: String, lines: Int, checksum: UInt32)] = [
        ("beidou-bd.log.chk", 21, 0x930c_fd37),
        ("bt451.log.chk", 43, 0xebc3_09b6),
        ("bu303-moving.log.chk", 23, 0x73b1_ae26),
        ("bu303b-nofix.log.chk", 13, 0x511a_77b6),
        ("foretrex-201.log.chk", 40, 0xe15d_be8e),
        ("hemi.log.chk", 219, 0x1010_5d6d),
        ("humminbird-M37.log.chk", 31, 0xf722_43ec),
        ("isync.log.chk", 48, 0x8b24_e3df),
        ("sirfstarv.log.chk", 172, 0x529f_345c),
        ("tcp-torture.log.chk", 4, 0x993c_cad1),
        ("ublox-8.log.chk", 149, 0x5704_1650),
        ("ublox-neo-m8u-hnr.log.chk", 26, 0xb0c1_8b68),
    ]

    @Test("Every recording yields exactly the reports that Python finds in it", arguments: expected)
    func reports(name: String, lines: Int, checksum: UInt32) throws {
        let path = Checkout.traces.appendingPathComponent("gpsd/\(name)").path
        let file = try TraceFile(path: path)
        #expect(file.format == .gpsd)
        #expect(!file.hasArrivalTimes)
        file.bytes.withUnsafeBytes { bytes in
            var cursor = TraceCursor(file)
            var decoder = GPSDDecoder()
            var found = 0
            var sum = Checksum()
            while let record = cursor.next(bytes) {
                found += 1
                #expect(record.time == nil)
                let line = UnsafeRawBufferPointer(rebasing: bytes[record.range])
                if case .malformed(let reason) = decoder.decode(line) { Issue.record("\(reason)") }
                for byte in line { sum.add(byte) }
                sum.add(UInt8(ascii: "\n"))
            }
            #expect(found == lines)
            #expect(sum.value == checksum)
            #expect(cursor.warnings.isEmpty)
            let all = bytes.split(separator: UInt8(ascii: "\n")).filter { !$0.allSatisfy { $0 <= 0x20 } }
            #expect(found + cursor.skippedLines == all.count)
        }
    }

    @Test("A receiver's own log is rejected, because gpsd must decode it first")
    func receiverLog() throws {
        let path = Checkout.traces.appendingPathComponent("gpsd/ublox-8.log").path
        let error = #expect(throws: DeviceError.self) { try TraceFile(path: path) }
        #expect(error?.message.contains("NMEA") == true)
    }
}

/// CRC-32 as zlib computes it (reflected, polynomial 0xEDB88320).
private struct Checksum {
    private var state: UInt32 = 0xffff_ffff
    var value: UInt32 { ~state }

    mutating func add(_ byte: UInt8) {
        state ^= UInt32(byte)
        for _ in 0..<8 { state = state >> 1 ^ (state & 1 == 1 ? 0xedb8_8320 : 0) }
    }
}
