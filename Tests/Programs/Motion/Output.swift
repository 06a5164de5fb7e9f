// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import JSONBytes
import Synchronization
import SystemCalls

/// Writes lines of JSON, whichever thread they come from.
final class Output: Sendable {
    private let lock = Mutex(())

    func ready() { line("ready") { _ in } }

    func stopped() { line("stopped") { _ in } }

    func failure(_ message: String) {
        line("failure") { writer in
            writer.member("message", message)
        }
    }

    func event(_ event: MotionEvent, of kind: SensorKind) {
        switch event {
        case .samples(let batch): samples(batch)
        case .lost(let error):
            line("lost") { writer in
                writer.member("kind", kind.rawValue)
                writer.member("code", error.code.description)
                writer.member("message", error.message)
            }
        case .regained:
            line("regained") { writer in
                writer.member("kind", kind.rawValue)
            }
        }
    }

    private func samples(_ batch: MotionBatch) {
        line("samples") { writer in
            writer.member("kind", batch.kind.rawValue)
            writer.member("sensor", batch.sensor)
            writer.member("arrival", batch.arrival.nanoseconds)
            writer.key("times")
            writer.beginArray()
            for time in batch.times { writer.int(time.nanoseconds) }
            writer.endArray()
            writer.key("values")
            writer.beginArray()
            for value in batch.values {
                writer.beginArray()
                for axis in 0..<3 { writer.double(value[axis]) }
                writer.endArray()
            }
            writer.endArray()
        }
    }

    func sensors(_ sensors: [SensorDescription]) {
        line("sensors") { writer in
            writer.key("sensors")
            writer.beginArray()
            for sensor in sensors {
                writer.beginObject()
                let parts: [(StaticString, String)] = [
                    ("id", sensor.id), ("kind", sensor.kind.rawValue), ("name", sensor.name), ("label", sensor.label),
                    ("location", sensor.location), ("mode", sensor.mode.rawValue), ("clock", sensor.clock),
                    ("matrix", sensor.mountMatrix.text), ("origin", sensor.mountMatrixOrigin),
                ]
                for (key, value) in parts {
                    writer.member(key, value)
                }
                writer.key("remarks")
                writer.beginArray()
                for remark in sensor.remarks { writer.string(remark) }
                writer.endArray()
                writer.endObject()
            }
            writer.endArray()
        }
    }

    func rates(_ rates: [(SensorDescription.ID, Double?)]) {
        line("rates") { writer in
            writer.key("rates")
            writer.beginObject()
            for (sensor, rate) in rates {
                writer.member(text: sensor, rate)
            }
            writer.endObject()
        }
    }

    func use() {
        let use = ProcessUse(at: LiveClock().now)
        line("use") { writer in
            writer.member("threads", use.threads)
            writer.member("descriptors", use.descriptors)
            writer.member("kilobytes", use.kilobytes)
            writer.member("milliseconds", use.milliseconds)
            writer.member("sleeps", use.sleeps)
            writer.member("arrival", use.time)
        }
    }

    private func line(_ event: String, _ body: (inout JSONWriter) -> Void) {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("event", event)
        body(&writer)
        writer.endObject()
        writer.newline()
        var rest = writer.bytes[...]
        lock.withLock { _ in
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes { write(1, $0.baseAddress, $0.count) }
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { exit(1) }
                rest = rest.dropFirst(count)
            }
        }
    }
}
