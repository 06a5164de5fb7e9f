// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import JSONBytes
public import Trace
public import UmockdevFormat

/// A peer that plays a dialogue recorded by umockdev. It sends the bytes that the recorded program read, and checks
/// that the current program writes the same bytes as the recorded program.
///
/// If the current program writes different bytes, the peer reports the difference. It continues as soon as it has
/// received the recorded number of bytes.
public struct UmockdevPeer: AccessoryPeer {
    private let script: UmockdevScript
    private let onDifference: @Sendable (String) -> Void
    private var next = 0
    private var received: [UInt8] = []
    /// The maximum percentage of bytes in a write that may differ from the recorded bytes.
    private var fuzz: UInt32 = 0

    /// Creates a peer. The closure receives a description of each difference.
    public init(_ script: UmockdevScript, differed: @escaping @Sendable (String) -> Void = { _ in }) {
        self.script = script
        self.onDifference = differed
    }

    var isFinished: Bool { next >= script.steps.count }

    /// Advances the script after an event and returns the next actions.
    public mutating func react(to event: AccessoryPeerEvent) -> [AccessoryPeerAction] {
        switch event {
        case .opened: return advance()
        case .received(let bytes):
            received += bytes
            return advance()
        case .timerFired: return []
        case .closed:
            if script.steps.indices.contains(next), case .write(_, let bytes) = script.steps[next] {
                onDifference(
                    "Step \(next + 1): the session ended after \(received.count) of \(bytes.count) bytes: "
                        + "\(Self.escapedText(received)) instead of \(Self.escapedText(bytes)).")
            }
            return []
        }
    }

    private mutating func advance() -> [AccessoryPeerAction] {
        var actions: [AccessoryPeerAction] = []
        while script.steps.indices.contains(next) {
            switch script.steps[next] {
            case .read(let milliseconds, let bytes):
                if milliseconds > 0 { actions.append(.wait(.milliseconds(milliseconds))) }
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
            onDifference("Received after the last step: \(Self.escapedText(received)).")
            received = []
        }
        return actions
    }

    private func compare(_ found: [UInt8], _ expected: [UInt8]) {
        let differing = zip(found, expected).count { $0 != $1 }
        guard differing * 100 > Int(fuzz) * expected.count else { return }
        onDifference("Step \(next + 1): received \(Self.escapedText(found)) instead of \(Self.escapedText(expected)).")
    }

    /// Returns the bytes as a quoted string with escapes, truncated after 64 bytes.
    package static func escapedText(_ bytes: [UInt8]) -> String {
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
