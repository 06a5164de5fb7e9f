// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import JSONBytes
import Synchronization
import SystemCalls

/// Writes lines of JSON, whichever thread they come from.
final class Output: Sendable {
    private let lock = Mutex(())

    func event(_ event: AccessoryEvent) {
        switch event {
        case .snapshot(let all):
            line("snapshot") { writer in
                writer.key("accessories")
                writer.beginArray()
                for one in all { Self.write(one, &writer) }
                writer.endArray()
            }
        case .attached(let one): accessory("attached", one)
        case .changed(let one): accessory("changed", one)
        case .detached(let one): accessory("detached", one)
        }
    }

    func candidates(_ candidates: [AccessoryCandidate]) {
        line("candidates") { writer in
            writer.key("nodes")
            writer.beginArray()
            for one in candidates { writer.string(one.node) }
            writer.endArray()
        }
    }

    func problems(_ problems: [DeviceError]) {
        line("problems") { writer in
            writer.key("codes")
            writer.beginArray()
            for one in problems { writer.string(one.code.description) }
            writer.endArray()
        }
    }

    func text(_ kind: String, _ name: String, _ text: String) {
        line(kind) { writer in
            writer.member(text: name, text)
        }
    }

    private func accessory(_ kind: String, _ accessory: AccessoryDescription) {
        line(kind) { writer in
            writer.key("accessory")
            Self.write(accessory, &writer)
        }
    }

    private static func write(_ accessory: AccessoryDescription, _ writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("id", accessory.id)
        let texts: [(StaticString, String)] = [
            ("identity", accessory.identity), ("name", accessory.name), ("manufacturer", accessory.manufacturer),
            ("serial", accessory.serialNumber), ("firmware", accessory.firmwareRevision), ("port", accessory.portPath),
        ]
        for (key, text) in texts {
            writer.member(key, text)
        }
        writer.key("protocols")
        writer.beginObject()
        for one in accessory.protocols {
            writer.member(text: one.name, "\(one.origin.rawValue) \(one.node?.path ?? "")")
        }
        writer.endObject()
        writer.endObject()
    }

    private func line(_ kind: String, _ body: (inout JSONWriter) -> Void) {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("event", kind)
        body(&writer)
        writer.endObject()
        writer.newline()
        lock.withLock { _ in
            writer.bytes.withUnsafeBytes { bytes in
                var done = 0
                while done < bytes.count {
                    let count = Glibc.write(1, bytes.baseAddress.map { $0 + done }, bytes.count - done)
                    if count <= 0 { exit(1) }
                    done += count
                }
            }
        }
    }
}
