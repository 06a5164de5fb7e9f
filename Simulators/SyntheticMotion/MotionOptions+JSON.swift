// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import JSONBytes

extension MotionOptions {
    /// What a trace's header tells of how it was made: one JSON object.
    ///
    /// - Parameters:
    ///   - biases: The constant errors that were drawn.
    ///   - duration: Seconds.
    func json(biases: [(kind: SensorKind, value: SIMD3<Double>)], duration: Double) -> [UInt8] {
        var writer = JSONWriter()
        func number(_ key: StaticString, _ value: Double) {
            writer.member(key, value)
        }
        func text(_ key: StaticString, _ value: String) {
            writer.member(key, value)
        }
        writer.beginObject()
        writer.key("seed")
        writer.raw(Array(String(seed).utf8))
        number("duration", duration)
        number("sampleRate", sampleRate)
        number("fixRate", fixRate)
        number("fixDelay", fixDelay)
        number("smoothing", smoothing)
        text("turns", turns.rawValue)
        writer.member("pitches", pitches)
        writer.member("earthRotates", earthRotates)
        if !placement.isIdentity { text("placement", placement.text) }
        text("imu", inertialUnit?.name ?? "none")
        text("magnetometer", magnetometer?.name ?? "none")
        text("barometer", barometer?.name ?? "none")
        text("receiver", receiver.name)
        number("geoidSeparation", geoidSeparation)
        number("biasFraction", biasFraction)
        writer.key("bias")
        writer.beginObject()
        for (kind, value) in biases where value != .zero {
            writer.key(text: kind.rawValue)
            writer.beginArray()
            for axis in 0..<(kind.isVector ? 3 : 1) { writer.double(value[axis]) }
            writer.endArray()
        }
        writer.endObject()
        if hardIron != .zero {
            writer.key("hardIron")
            writer.beginArray()
            for axis in 0..<3 { writer.double(hardIron[axis]) }
            writer.endArray()
        }
        if !softIron.isIdentity { text("softIron", softIron.text) }
        writer.endObject()
        return writer.bytes
    }
}
