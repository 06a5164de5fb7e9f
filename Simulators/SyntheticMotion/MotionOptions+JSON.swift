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
        writer.beginObject()
        writer.key("seed")
        writer.raw(Array(String(seed).utf8))
        writer.member("duration", duration)
        writer.member("sampleRate", sampleRate)
        writer.member("fixRate", fixRate)
        writer.member("fixDelay", fixDelay)
        writer.member("smoothing", smoothing)
        writer.member("turns", turns.rawValue)
        writer.member("pitches", pitches)
        writer.member("earthRotates", earthRotates)
        if !placement.isIdentity { writer.member("placement", placement.text) }
        writer.member("imu", inertialUnit?.name ?? "none")
        writer.member("magnetometer", magnetometer?.name ?? "none")
        writer.member("barometer", barometer?.name ?? "none")
        writer.member("receiver", receiver.name)
        writer.member("geoidSeparation", geoidSeparation)
        writer.member("biasFraction", biasFraction)
        writer.object("bias") { writer in
            for (kind, value) in biases where value != .zero {
                writer.member(text: kind.rawValue, kind.isVector ? [value.x, value.y, value.z] : [value.x])
            }
        }
        if hardIron != .zero { writer.member("hardIron", hardIron) }
        if !softIron.isIdentity { writer.member("softIron", softIron.text) }
        writer.endObject()
        return writer.bytes
    }
}
