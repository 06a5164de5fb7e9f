// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import JSONBytes

extension TraceHeader {
    /// The header as one line of JSON, without a line end.
    public func line() -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("format", Self.formatName)
        writer.member("version", version)
        if let start {
            writer.key("start")
            writer.beginObject()
            writer.member("utc", CivilTime.text(start.wallTime.nanoseconds))
            var seconds: [UInt8] = []
            TraceSeconds.append(start.boot.nanoseconds, to: &seconds)
            writer.key("boot")
            writer.raw(seconds)
            writer.endObject()
        }
        Self.write("clock", clock, to: &writer)
        writer.key("devices")
        writer.beginArray()
        for device in devices { Self.write(device, to: &writer) }
        writer.endArray()
        if !sensors.isEmpty {
            writer.key("sensors")
            writer.beginArray()
            for sensor in sensors { Self.write(sensor, calibrations[sensor.id], to: &writer) }
            writer.endArray()
        }
        if !contexts.isEmpty {
            writer.key("contexts")
            writer.beginArray()
            for context in contexts { writer.string(context) }
            writer.endArray()
        }
        writer.key("units")
        writer.beginObject()
        for (name, unit) in units.sorted(by: { $0.key < $1.key }) {
            writer.member(text: name, unit)
        }
        writer.endObject()
        if battery != nil {
            writer.key("battery")
            TraceBattery.write(battery, to: &writer)
        }
        Self.write("frame", frame, to: &writer)
        Self.write("recorder", recorder, to: &writer)
        Self.write("source", source, to: &writer)
        Self.write(otherMembers, to: &writer)
        writer.endObject()
        return writer.bytes
    }

    static func write(_ key: StaticString, _ text: String, to writer: inout JSONWriter) {
        guard !text.isEmpty else { return }
        writer.member(key, text)
    }

    private static func write(_ members: [TraceMember], to writer: inout JSONWriter) {
        for member in members {
            writer.key(text: member.name)
            writer.raw(member.json)
        }
    }

    private static func write(_ device: TraceDevice, to writer: inout JSONWriter) {
        writer.beginObject()
        write("kind", device.kind, to: &writer)
        write("path", device.receiver.path, to: &writer)
        write("driver", device.receiver.driver, to: &writer)
        write("subtype", device.receiver.subtype, to: &writer)
        write("subtype1", device.receiver.subtype1, to: &writer)
        if device.receiver.bitsPerSecond != 0 {
            writer.member("bps", device.receiver.bitsPerSecond)
        }
        if device.receiver.cycle.isFinite {
            writer.member("cycle", device.receiver.cycle)
        }
        write(device.otherMembers, to: &writer)
        writer.endObject()
    }
}
