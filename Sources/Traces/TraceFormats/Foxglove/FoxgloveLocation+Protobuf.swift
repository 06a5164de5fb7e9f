// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

extension FoxgloveLocation {
    /// Reads a message in Protocol Buffers, by the numbers of Foxglove's LocationFix.proto; nil when it is none.
    ///
    /// What is 0 is left out there: only a message with neither latitude nor longitude has no place.
    init?(protobuf message: UnsafeRawBufferPointer) {
        altitude = 0
        var reader = ProtobufReader(message)
        while let (number, value) = reader.next() {
            switch (number, value) {
            case (1, .fixed64(let bits)): latitude = Double(bitPattern: bits)
            case (2, .fixed64(let bits)): longitude = Double(bitPattern: bits)
            case (3, .fixed64(let bits)): altitude = Double(bitPattern: bits)
            case (4, .fixed64(let bits)): addCovariance(Double(bitPattern: bits))
            case (4, .bytes(let numbers)): addCovariance(packed: numbers)
            case (5, .varint(let type)): isCovarianceKnown = type > 0
            case (6, .bytes(let stamp)): readTime(stamp)
            case (7, .bytes(let text)): frame = String(decoding: text, as: UTF8.self)
            case (10, .fixed64(let bits)): heading = Double(bitPattern: bits)
            case (11, .bytes(let vector)): readVelocity(vector)
            default: break
            }
        }
        guard !reader.isBroken else { return nil }
        if latitude.isNaN != longitude.isNaN {
            if latitude.isNaN { latitude = 0 } else { longitude = 0 }
        }
    }

    private mutating func addCovariance(packed numbers: UnsafeRawBufferPointer) {
        guard numbers.count.isMultiple(of: 8) else { return }
        for offset in stride(from: 0, to: min(numbers.count, 80), by: 8) {
            let bits = numbers.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            addCovariance(Double(bitPattern: UInt64(littleEndian: bits)))
        }
    }

    /// google.protobuf.Timestamp.
    private mutating func readTime(_ stamp: UnsafeRawBufferPointer) {
        var reader = ProtobufReader(stamp)
        var (seconds, nanoseconds): (Int64, Int64) = (0, 0)
        while let (number, value) = reader.next() {
            switch (number, value) {
            case (1, .varint(let bits)): seconds = Int64(bitPattern: bits)
            case (2, .varint(let bits)): nanoseconds = Int64(bitPattern: bits)
            default: break
            }
        }
        if !reader.isBroken { time = Self.time(seconds: seconds, nanoseconds: nanoseconds) }
    }

    /// foxglove.Vector3.
    private mutating func readVelocity(_ vector: UnsafeRawBufferPointer) {
        var reader = ProtobufReader(vector)
        var read = SIMD3<Double>.zero
        while let (number, value) = reader.next() {
            switch (number, value) {
            case (1, .fixed64(let bits)): read.x = Double(bitPattern: bits)
            case (2, .fixed64(let bits)): read.y = Double(bitPattern: bits)
            case (3, .fixed64(let bits)): read.z = Double(bitPattern: bits)
            default: break
            }
        }
        if !reader.isBroken { velocity = read }
    }
}
