// SPDX-License-Identifier: Apache-2.0

import Synchronization
public import DeviceCore

/// A difference between an accessory session during playback and the recorded session.
public struct AccessoryDifference: Sendable, Hashable, CustomStringConvertible {
    /// The kind of difference.
    public enum Kind: Sendable, Hashable {
        /// The program wrote different bytes, too few bytes or too many bytes.
        case bytes
        /// The program left the given number of recorded bytes unread, for example because it closed the session early.
        case notRead(Int)
        /// The given number of bytes was dropped because too many unread bytes were pending.
        case dropped(Int)
        /// The program did not open a protocol that was opened in the recording.
        case notOpened
    }

    /// The ID of the accessory on the simulated device.
    public var accessory: AccessoryDescription.ID
    /// The name of the accessory.
    public var name: String
    /// The name of the protocol.
    public var protocolName: String
    /// The session number. For each accessory and protocol, sessions are numbered from 1.
    public var session: Int
    /// The kind of difference.
    public var kind: Kind
    /// The offset of the first differing byte in the session's output, or 0 for other kinds of difference.
    public var offset: Int64
    /// The recorded bytes at ``offset``. At most 256 bytes are stored.
    public var expected: [UInt8]
    /// The bytes that the program wrote instead of ``expected``. At most 256 bytes are stored.
    public var found: [UInt8]
    /// The time at which the difference was detected.
    public var time: BootTime
    package static let maximumBytes = 256

    /// A description for logs and failed tests.
    public var description: String {
        let location = "session \(session) with \(protocolName) of \(name.isEmpty ? "accessory \(accessory)" : name)"
        return switch kind {
        case .bytes:
            "\(location), byte \(offset): the recording has \(Self.text(expected)), the program wrote \(Self.text(found))"
        case .notRead(let count): "\(location): \(count) recorded bytes did not reach the program"
        case .dropped(let count): "\(location): \(count) bytes were dropped because the program did not read"
        case .notOpened: "\(location): the program did not open the session"
        }
    }

    private static func text(_ bytes: [UInt8]) -> String {
        if bytes.isEmpty { return "nothing" }
        if let text = String(validating: bytes, as: UTF8.self) { return text.debugDescription }
        return bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined(separator: " ")
    }
}

/// The first `maximumCount` differences, in order of detection. Can be used from any thread.
final class AccessoryDifferenceList: Sendable {
    static let maximumCount = 100
    private let list = Mutex<[AccessoryDifference]>([])

    var all: [AccessoryDifference] { list.withLock { $0 } }

    func add(_ differences: [AccessoryDifference]) {
        list.withLock { list in list += differences.prefix(max(0, Self.maximumCount - list.count)) }
    }
}
