// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import JSONBytes

extension TraceHeader {
    /// Returns the header as one line of JSON, without a line terminator.
    package func line() -> [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("format", Self.formatName)
            writer.member("version", version)
            if let start {
                writer.object("start") { writer in
                    writer.member("utc", CivilDate(start.wallTime).iso8601(decimals: 9))
                    var seconds: [UInt8] = []
                    TraceSeconds.append(start.boot.nanoseconds, to: &seconds)
                    writer.key("boot")
                    writer.raw(seconds)
                }
            }
            writer.memberUnlessEmpty("clock", clock)
            writer.array("devices") { writer in
                for device in devices { Self.write(device, to: &writer) }
            }
            if !sensors.isEmpty {
                writer.array("sensors") { writer in
                    for sensor in sensors { Self.write(sensor, calibrations[sensor.id], to: &writer) }
                }
            }
            if !contexts.isEmpty { writer.member("contexts", contexts) }
            writer.object("units") { writer in
                for (name, unit) in units.sorted(by: { $0.key < $1.key }) { writer.member(text: name, unit) }
            }
            writer.memberIfPresent("battery", battery)
            writer.memberUnlessEmpty("frame", frame)
            writer.memberUnlessEmpty("recorder", recorder)
            writer.memberUnlessEmpty("source", source)
            Self.write(otherMembers, to: &writer)
        }
        return writer.bytes
    }

    private static func write(_ members: [TraceMember], to writer: inout JSONWriter) {
        for member in members {
            writer.key(text: member.name)
            writer.raw(member.json)
        }
    }

    private static func write(_ device: TraceDevice, to writer: inout JSONWriter) {
        let receiver = device.receiver
        writer.object { writer in
            writer.memberUnlessEmpty("kind", device.kind)
            writer.memberUnlessEmpty("path", receiver.path)
            writer.memberUnlessEmpty("driver", receiver.driver)
            writer.memberUnlessEmpty("subtype", receiver.subtype)
            writer.memberUnlessEmpty("subtype1", receiver.subtype1)
            if receiver.bitsPerSecond != 0 { writer.member("bps", receiver.bitsPerSecond) }
            if receiver.cycle.isFinite { writer.member("cycle", receiver.cycle) }
            write(device.otherMembers, to: &writer)
        }
    }
}
