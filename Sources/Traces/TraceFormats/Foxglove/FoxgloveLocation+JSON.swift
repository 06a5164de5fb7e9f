// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import JSONBytes

extension FoxgloveLocation {
    /// Reads a message in JSON; nil when it is none.
    init?(json: UnsafeRawBufferPointer) {
        var reader = JSONReader(json)
        do throws(JSONError) {
            guard try reader.peekKind() == .object else { return nil }
            try reader.beginObject()
            while let key = try reader.nextKey() {
                switch key.string() {
                case "timestamp": try readTime(&reader)
                case "frame_id": frame = try reader.textIfPresent()?.string() ?? ""
                case "latitude": latitude = try reader.doubleIfPresent()
                case "longitude": longitude = try reader.doubleIfPresent()
                case "altitude": altitude = try reader.doubleIfPresent()
                case "heading": heading = try reader.doubleIfPresent()
                case "velocity": try readVelocity(&reader)
                case "position_covariance": try readCovariance(&reader)
                case "position_covariance_type": isCovarianceKnown = try reader.doubleIfPresent() > 0
                default: try reader.skipValue()
                }
            }
        } catch {
            return nil
        }
    }

    private mutating func readTime(_ reader: inout JSONReader) throws(JSONError) {
        guard try reader.peekKind() == .object else { return try reader.skipValue() }
        var (seconds, nanoseconds): (Int64?, Int64) = (nil, 0)
        try reader.beginObject()
        while let key = try reader.nextKey() {
            switch key.string() {
            case "sec": seconds = try reader.int64IfPresent()
            case "nsec": nanoseconds = try reader.int64IfPresent() ?? 0
            default: try reader.skipValue()
            }
        }
        time = Self.time(seconds: seconds, nanoseconds: nanoseconds)
    }

    private mutating func readVelocity(_ reader: inout JSONReader) throws(JSONError) {
        guard try reader.peekKind() == .object else { return try reader.skipValue() }
        try reader.beginObject()
        while let key = try reader.nextKey() {
            switch key.string() {
            case "x": velocity.x = try reader.doubleIfPresent()
            case "y": velocity.y = try reader.doubleIfPresent()
            case "z": velocity.z = try reader.doubleIfPresent()
            default: try reader.skipValue()
            }
        }
    }

    private mutating func readCovariance(_ reader: inout JSONReader) throws(JSONError) {
        guard try reader.peekKind() == .array else { return try reader.skipValue() }
        try reader.beginArray()
        while try reader.nextElement() { addCovariance(try reader.doubleIfPresent()) }
    }
}
