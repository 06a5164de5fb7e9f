// SPDX-License-Identifier: Apache-2.0

import SystemCalls

/// Looks at a message before libudev does.
///
/// libudev 252 follows the offset in a message's head to anywhere in memory. And one call of it takes in more messages
/// when the first is of a subsystem that is not asked for: such ones are kept from it, so that it sees none that has not
/// been looked at.
struct MessageCheck {
    enum Verdict {
        case sound
        /// Nobody has asked for such a device.
        case foreign
        case unusable
        /// It has more bytes than can be looked at.
        case tooLong
    }

    /// More bytes than a message of udevd or the kernel has.
    static let longest = 16_384
    private static let headSize = 40
    private static let magic: [UInt8] = [0xFE, 0xED, 0xCA, 0xFE]
    private static let name: [UInt8] = Array("libudev\0".utf8)
    private static let subsystemKey: [UInt8] = Array("SUBSYSTEM=".utf8)
    private static let typeKey: [UInt8] = Array("DEVTYPE=".utf8)

    private let group: UdevGroup
    private let wanted: [(subsystem: [UInt8], type: [UInt8]?)]

    /// Lets messages about such devices through.
    init(_ group: UdevGroup, _ selections: [UdevSelection]) {
        self.group = group
        wanted = selections.map { (Array($0.subsystem.utf8), $0.type.map { Array($0.utf8) }) }
    }

    /// What to do with a message of those bytes.
    func verdict(_ message: UnsafeRawBufferPointer) -> Verdict {
        guard message.count <= Self.longest else { return .tooLong }
        guard let start = bodyStart(message) else { return .unusable }
        var subsystem: UnsafeRawBufferPointer?
        var type: UnsafeRawBufferPointer?
        var rest = UnsafeRawBufferPointer(rebasing: message[start...])
        while let base = rest.baseAddress, !rest.isEmpty {
            // libudev refuses a body whose last entry has no end.
            guard let zero = memchr(base, 0, rest.count) else { return .unusable }
            let length = UnsafeRawPointer(zero) - base
            let entry = UnsafeRawBufferPointer(rebasing: rest[..<length])
            if entry.starts(with: Self.subsystemKey) {
                let value = UnsafeRawBufferPointer(rebasing: entry[Self.subsystemKey.count...])
                // Which of two libudev would take is not to be guessed.
                if let subsystem, !subsystem.elementsEqual(value) { return .unusable }
                subsystem = value
            } else if entry.starts(with: Self.typeKey) {
                let value = UnsafeRawBufferPointer(rebasing: entry[Self.typeKey.count...])
                if let type, !type.elementsEqual(value) { return .unusable }
                type = value
            }
            rest = UnsafeRawBufferPointer(rebasing: rest[(length + 1)...])
        }
        guard let subsystem, !subsystem.isEmpty else { return .unusable }
        let isWanted = wanted.contains { one in
            guard subsystem.elementsEqual(one.subsystem) else { return false }
            guard let wantedType = one.type else { return true }
            return type?.elementsEqual(wantedType) ?? false
        }
        return isWanted ? .sound : .foreign
    }

    /// Where the properties begin.
    private func bodyStart(_ message: UnsafeRawBufferPointer) -> Int? {
        guard message.count >= Self.headSize else { return nil }
        guard message.starts(with: Self.name) else {
            // The kernel's own begin with a line of their own, and nobody else can send to its group.
            guard group == .kernel, let zero = message.firstIndex(of: 0) else { return nil }
            return zero + 1
        }
        guard message[8..<12].elementsEqual(Self.magic) else { return nil }
        let offset = Int64(message.loadUnaligned(fromByteOffset: 16, as: UInt32.self))
        guard offset >= Int64(Self.headSize), offset < Int64(message.count) else { return nil }
        return Int(offset)
    }
}

/// Whose messages about devices can be heard from where this process is.
///
/// udevd's go to its own network namespace only. The kernel's go to all those that belong to the machine's first user
/// namespace; in another one libudev takes the kernel and udevd for strangers besides. A socket opens all the same, and
/// stays silent.
package struct MessageReach: Sendable, Equatable {
    /// The number that the first user namespace has on all machines.
    private static let firstUserNamespace: UInt64 = 0xEFFF_FFFD
    /// Each network namespace has the first of these settings, and only the machine's own has the second. Unlike the
    /// namespaces of other processes, everybody may look at them.
    private static let everyNetwork = "/proc/sys/net/core/somaxconn"
    private static let firstNetwork = "/proc/sys/net/core/netdev_max_backlog"

    /// True in the machine's own user namespace, and where that cannot be told.
    var isFirstUser = true
    /// True in the machine's own network namespace, and where that cannot be told.
    var isFirstNetwork = true

    /// As on a machine without namespaces.
    package static let everywhere = MessageReach()

    /// Where this process is now.
    package static var current: MessageReach {
        var status = stat()
        let isKnown = stat("/proc/self/ns/user", &status) == 0
        return MessageReach(
            isFirstUser: !isKnown || UInt64(status.st_ino) == firstUserNamespace,
            isFirstNetwork: access(firstNetwork, F_OK) == 0 || access(everyNetwork, F_OK) != 0)
    }

    /// Whether messages of that group come here for certain.
    func covers(_ group: UdevGroup) -> Bool { isFirstUser && (group == .kernel || isFirstNetwork) }
}
