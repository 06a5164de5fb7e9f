// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import JSONBytes
import Synchronization
import SystemCalls
import UdevMonitor

/// Writes lines of JSON, whichever thread they come from.
final class Output: Sendable {
    private let lock = Mutex(())

    func stopped() { line("stopped") { _ in } }

    func failure(_ message: String) {
        line("failure") { writer in
            writer.member("message", message)
        }
    }

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
        case .problem(let error): problem("problem", error)
        case .solved(let error): problem("solved", error)
        }
    }

    private func problem(_ event: StaticString, _ error: DeviceError) {
        line(event) { writer in
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

    /// The threads of this process, once those that are about to end are gone.
    func threads() {
        let expected = 1
        var count = 0
        for _ in 0..<6000 {
            count = Self.threadCount
            if count <= expected { break }
            WorkerThread.pause(seconds: 0.01)
        }
        line("threads") { writer in
            writer.member("count", count)
        }
    }

    private static var threadCount: Int {
        guard let folder = opendir("/proc/self/task") else { return -1 }
        defer { closedir(folder) }
        var count = 0
        while readdir(folder) != nil { count += 1 }
        // Without the folder and the one above.
        return count - 2
    }

    private func device(_ event: StaticString, _ record: UdevRecord, isBrief: Bool) {
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

    private func line(_ event: StaticString, _ body: (inout JSONWriter) -> Void) {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("event", "\(event)")
        body(&writer)
        writer.endObject()
        writer.newline()
        var rest = writer.bytes[...]
        lock.withLock { _ in
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes { Glibc.write(1, $0.baseAddress, $0.count) }
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { exit(1) }
                rest = rest.dropFirst(count)
            }
        }
    }
}
