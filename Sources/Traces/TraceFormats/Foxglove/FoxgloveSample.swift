// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import JSONBytes

/// A reading of a sensor as ``FoxgloveMessage`` writes it.
struct FoxgloveSample {
    var sensor = ""
    var value = SIMD3<Double>(repeating: .nan)

    /// Nil when the message lacks a number.
    init?(_ json: UnsafeRawBufferPointer, kind: SensorKind) {
        var reader = JSONReader(json)
        do throws(JSONError) {
            guard try reader.peekKind() == .object else { return nil }
            try reader.beginObject()
            while let key = try reader.nextKey() {
                switch key.string() {
                case "frame_id": sensor = try reader.textIfPresent()?.string() ?? ""
                case "x": value.x = try reader.doubleIfPresent()
                case "y": value.y = try reader.doubleIfPresent()
                case "z": value.z = try reader.doubleIfPresent()
                case "value": value = SIMD3(try reader.doubleIfPresent(), 0, 0)
                default: try reader.skipValue()
                }
            }
        } catch {
            return nil
        }
        if sensor.isEmpty { sensor = kind.rawValue }
        guard value.x.isFinite, value.y.isFinite, value.z.isFinite else { return nil }
    }
}
