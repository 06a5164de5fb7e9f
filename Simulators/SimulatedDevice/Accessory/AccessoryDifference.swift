// SPDX-License-Identifier: Apache-2.0

import Synchronization
public import DeviceCore

/// A difference between a played session with an accessory and the recorded one.
public struct AccessoryDifference: Sendable, Hashable, CustomStringConvertible {
    /// What is different.
    public enum Kind: Sendable, Hashable {
        /// The program wrote other bytes, fewer of them (then ``AccessoryDifference/found`` is empty or ends early) or
        /// more.
        case bytes
        /// The program never read so many bytes of what the accessory said: it closed the session too early, or the
        /// accessory waited for something that the program did not write.
        case notHandedOver(Int)
        /// So many bytes were dropped, because too many waited for the program to read them.
        case dropped(Int)
        /// The program did not open the protocol, which had been opened in the recording.
        case notOpened
    }

    /// The number of the accessory in this device.
    public var accessory: AccessoryDescription.ID
    /// Its name.
    public var name: String
    /// The protocol.
    public var protocolName: String
    /// Which session with that protocol of that accessory, counted from 1.
    public var session: Int
    /// What is different.
    public var kind: Kind
    /// The offset of the first different byte among those that the program writes in the session, counted from 0; 0 for
    /// the other kinds.
    public var offset: Int64
    /// What was recorded from there on, at most ``maximumBytes``.
    public var expected: [UInt8]
    /// What the program wrote in its place, at most ``maximumBytes``.
    public var found: [UInt8]
    /// When it was noticed.
    public var time: BootTime

    /// The most bytes that are kept of each side.
    public static let maximumBytes = 256

    /// A sentence for a log or a failed test.
    public var description: String {
        let place = "session \(session) with \(protocolName) of \(name.isEmpty ? "accessory \(accessory)" : name)"
        return switch kind {
        case .bytes:
            "\(place), byte \(offset): recorded was \(Self.text(expected)), the program wrote \(Self.text(found))"
        case .notHandedOver(let count): "\(place): \(count) bytes of the recording never reached the program"
        case .dropped(let count): "\(place): \(count) bytes were dropped because the program did not read"
        case .notOpened: "\(place): the program did not open it"
        }
    }

    private static func text(_ bytes: [UInt8]) -> String {
        if bytes.isEmpty { return "nothing" }
        if let text = String(validating: bytes, as: UTF8.self) { return text.debugDescription }
        return bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined(separator: " ")
    }
}

/// What went otherwise than recorded, as far as there is room.
final class AccessoryDifferences: Sendable {
    static let maximumCount = 100

    private let list = Mutex<[AccessoryDifference]>([])

    var all: [AccessoryDifference] { list.withLock { $0 } }

    func add(_ differences: [AccessoryDifference]) {
        list.withLock { list in list += differences.prefix(max(0, Self.maximumCount - list.count)) }
    }
}
