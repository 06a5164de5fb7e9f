// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import JSONBytes

extension Output {
    func ready() { line("ready") { _ in } }

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
        let use = ProcessUse()
        line("use") { writer in
            let numbers: [(StaticString, Int)] = [
                ("threads", use.threads), ("descriptors", use.descriptors), ("kilobytes", use.kilobytes),
                ("milliseconds", use.milliseconds), ("sleeps", use.sleeps),
                ("arrival", Int(LiveClock().now.nanoseconds)),
            ]
            for (key, value) in numbers {
                writer.key(key)
                writer.int(value)
            }
        }
    }
}
