// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import JSONBytes
public import Trace
public import UmockdevFormat

/// A peer that plays umockdev's recording of a dialogue: it sends what the program read, waits for what it wrote, and
/// compares.
///
/// A program that writes something else is told nothing: the peer notes the difference and goes on behind as many bytes.
public struct UmockdevPeer: AccessoryPeer {
    private let script: UmockdevScript
    private let differed: @Sendable (String) -> Void
    private var next = 0
    /// What has come in and no step has asked for yet.
    private var received: [UInt8] = []
    private var fuzz: UInt32 = 0

    /// A peer with a script. `differed` is told, in words, where the program departs from it.
    public init(_ script: UmockdevScript, differed: @escaping @Sendable (String) -> Void = { _ in }) {
        self.script = script
        self.differed = differed
    }

    var isFinished: Bool { next >= script.steps.count }

    /// Goes on with the script.
    public mutating func react(to event: AccessoryPeerEvent) -> [AccessoryPeerAction] {
        switch event {
        case .opened: return advance()
        case .received(let bytes):
            received += bytes
            return advance()
        case .woken: return []
        case .closed:
            if script.steps.indices.contains(next), case .write(_, let bytes) = script.steps[next] {
                differed(
                    "Step \(next + 1): the session ended after \(received.count) of \(bytes.count) bytes: "
                        + "\(Self.shown(received)) in place of \(Self.shown(bytes)).")
            }
            return []
        }
    }

    private mutating func advance() -> [AccessoryPeerAction] {
        var actions: [AccessoryPeerAction] = []
        while script.steps.indices.contains(next) {
            switch script.steps[next] {
            case .read(let milliseconds, let bytes):
                if milliseconds > 0 { actions.append(.wait(Double(milliseconds) / 1000)) }
                actions.append(.send(bytes))
            case .write(_, let bytes):
                guard received.count >= bytes.count else { return actions }
                compare(Array(received.prefix(bytes.count)), bytes)
                received.removeFirst(bytes.count)
            case .fuzz(let percent): fuzz = percent
            }
            next += 1
        }
        if !received.isEmpty {
            differed("After the last step: \(Self.shown(received)).")
            received = []
        }
        return actions
    }

    private func compare(_ found: [UInt8], _ expected: [UInt8]) {
        let differing = zip(found, expected).count { $0 != $1 }
        guard differing * 100 > Int(fuzz) * expected.count else { return }
        differed("Step \(next + 1): \(Self.shown(found)) in place of \(Self.shown(expected)).")
    }

    /// The bytes as text with escapes, not too many of them.
    package static func shown(_ bytes: [UInt8]) -> String {
        var text = "\""
        for byte in bytes.prefix(64) {
            switch byte {
            case UInt8(ascii: "\n"): text += "\\n"
            case UInt8(ascii: "\r"): text += "\\r"
            case UInt8(ascii: "\t"): text += "\\t"
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): text += "\\\(Character(Unicode.Scalar(byte)))"
            case 0x20..<0x7F: text.unicodeScalars.append(Unicode.Scalar(byte))
            default: text += "\\x" + HexDigit.text([byte])
            }
        }
        return text + (bytes.count > 64 ? "…\"" : "\"")
    }
}
