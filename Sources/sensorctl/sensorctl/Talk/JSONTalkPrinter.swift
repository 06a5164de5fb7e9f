// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import JSONBytes

/// Prints one object a line for each chunk of bytes, in either direction.
final class JSONTalkPrinter: TalkPrinter {
    private let output: StandardOutput
    private let clock: any DeviceClock
    private var writer = JSONWriter()

    init(output: StandardOutput, clock: any DeviceClock) {
        self.output = output
        self.clock = clock
    }

    func opened(_ accessory: AccessoryDescription, protocol name: String) {
        begin("opened")
        writer.key("accessory")
        writer.string(accessory.name)
        writer.key("identity")
        writer.string(accessory.identity)
        writer.key("protocol")
        writer.string(name)
        writer.key("node")
        if let node = accessory.named(name)?.node { writer.string(node.path) } else { writer.null() }
        end()
    }

    func received(_ bytes: [UInt8]) { write("in", bytes) }

    func sent(_ bytes: [UInt8]) { write("out", bytes) }

    func ended(_ end: ByteChannelEnd) {
        begin("ended")
        writer.key("reason")
        switch end.reason {
        case .closed: writer.string("closed")
        case .hungUp: writer.string("hungUp")
        case .detached: writer.string("detached")
        case .failed: writer.string("failed")
        }
        writer.key("unsentBytes")
        writer.int(Int64(end.unsentBytes))
        self.end()
    }

    private func write(_ event: StaticString, _ bytes: [UInt8]) {
        begin(event)
        writer.key("bytes")
        writer.int(Int64(bytes.count))
        if let text = Printable.plain(bytes) {
            writer.key("text")
            writer.string(text)
        } else {
            writer.key("hex")
            writer.string(Printable.hex(bytes))
        }
        end()
    }

    private func begin(_ event: StaticString) {
        writer.removeAll()
        writer.beginObject()
        writer.key("time")
        writer.string(CivilDate(clock.wallTime).timestamp)
        writer.key("event")
        writer.string("\(event)")
    }

    private func end() {
        writer.endObject()
        writer.newline()
        output.write(writer.bytes)
    }
}
