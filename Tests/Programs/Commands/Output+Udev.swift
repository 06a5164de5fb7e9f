// SPDX-License-Identifier: Apache-2.0

import AccessoryFinding
import DeviceCore
import JSONBytes
import Synchronization
import UdevMonitor

extension Output {
    func event(_ event: UdevEvent, isBrief: Bool) {
        switch event {
        case .snapshot(let records):
            line("snapshot") { writer in
                writer.key("devices")
                writer.beginArray()
                for record in records {
                    if isBrief { writer.string(record.path) } else { Self.write(record, &writer) }
                }
                writer.endArray()
            }
        case .added(let record): device("added", record, isBrief: isBrief)
        case .removed(let record): device("removed", record, isBrief: isBrief)
        case .problems(let errors):
            // The monitor reports an empty list also when it starts without problems.
            if hasProblems.exchange(!errors.isEmpty, ordering: .relaxed), errors.isEmpty { line("solved") { _ in } }
            for error in errors { problem(error) }
        }
    }

    private func problem(_ error: DeviceError) {
        line("problem") { writer in
            writer.member("code", error.code.description)
            writer.member("message", error.message)
        }
    }

    func statistics(_ statistics: UdevStatistics?) {
        line("statistics") { writer in
            guard let statistics else { return }
            let numbers: [(StaticString, Int)] = [
                ("wakeUps", statistics.wakeUps), ("messages", statistics.messages), ("unusable", statistics.unusable),
                ("overflows", statistics.overflows), ("scans", statistics.scans),
            ]
            for (key, value) in numbers {
                writer.member(key, value)
            }
            writer.member("group", statistics.group.rawValue)
        }
    }

    func threads(_ count: Int) {
        line("threads") { writer in
            writer.member("count", count)
        }
    }

    private func device(_ event: String, _ record: UdevRecord, isBrief: Bool) {
        line(event) { writer in
            writer.member("path", record.path)
            guard !isBrief else { return }
            writer.key("device")
            Self.write(record, &writer)
        }
    }

    private static func write(_ record: UdevRecord, _ writer: inout JSONWriter) {
        writer.beginObject()
        let parts: [(StaticString, String)] = [
            ("path", record.path), ("subsystem", record.subsystem), ("type", record.type), ("node", record.node),
            ("usbInterface", record.usbInterface), ("usbDevice", record.usbDevice),
        ]
        for (key, value) in parts {
            writer.member(key, value)
        }
        writer.member("isInitialized", record.isInitialized)
        write("properties", record.properties, &writer)
        write("attributes", record.attributes, &writer)
        writer.endObject()
    }

    private static func write(_ name: StaticString, _ values: [String: String], _ writer: inout JSONWriter) {
        writer.key(name)
        writer.beginObject()
        for (key, value) in values.sorted(by: { $0.key < $1.key }) {
            writer.member(text: key, value)
        }
        writer.endObject()
    }
}
