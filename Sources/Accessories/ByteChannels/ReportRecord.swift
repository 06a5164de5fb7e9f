// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// A report that waits to be sent: how much of it is data in two bytes, the report's number, the data and its filling.
enum ReportRecord {
    static let headerLength = 2

    static func length(_ framing: HIDFraming) -> Int { headerLength + 1 + framing.reportLength }

    /// Adds a record; there has to be space for it.
    static func write(_ data: UnsafeRawBufferPointer, as framing: HIDFraming, to ring: inout ByteRing) {
        withUnsafeTemporaryAllocation(byteCount: length(framing), alignment: 16) { record in
            record.initializeMemory(as: UInt8.self, repeating: 0)
            record[0] = UInt8(truncatingIfNeeded: data.count)
            record[1] = UInt8(truncatingIfNeeded: data.count >> 8)
            record[headerLength] = framing.reportNumber
            record[(headerLength + 1)...].copyBytes(from: data.prefix(framing.reportLength))
            _ = ring.write(UnsafeRawBufferPointer(record))
        }
    }

    /// Takes a record; returns how much of it is data.
    static func read(from ring: inout ByteRing, into record: UnsafeMutableRawBufferPointer) -> Int {
        guard ring.read(into: record) == record.count, record.count > headerLength else { return 0 }
        return Int(record[0]) | Int(record[1]) << 8
    }
}
