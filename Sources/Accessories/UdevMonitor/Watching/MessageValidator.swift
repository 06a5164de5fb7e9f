// SPDX-License-Identifier: Apache-2.0

import SystemCalls

/// A validator of messages, which runs before libudev reads them.
///
/// libudev 252 does not validate the properties offset in the message header and may access arbitrary memory. In
/// addition, a single libudev call reads several messages if the first messages do not match its filter. Messages that
/// do not match are therefore discarded here, so that libudev only reads validated messages.
struct MessageValidator {
    enum ValidationResult {
        case valid
        /// No selection matches the device.
        case notSelected
        case unusable
        /// The message is longer than the buffer.
        case tooLong
    }

    /// The maximum length of a message, in bytes. Messages from udevd and the kernel are shorter.
    static let maximumLength = 16_384
    private static let headSize = 40
    private static let magic: [UInt8] = [0xFE, 0xED, 0xCA, 0xFE]
    private static let name: [UInt8] = Array("libudev\0".utf8)
    private static let subsystemKey: [UInt8] = Array("SUBSYSTEM=".utf8)
    private static let typeKey: [UInt8] = Array("DEVTYPE=".utf8)

    private let group: UdevGroup
    private let wanted: [(subsystem: [UInt8], type: [UInt8]?)]

    /// Creates a validator that accepts messages about selected devices.
    init(_ group: UdevGroup, _ selections: [UdevSelection]) {
        self.group = group
        wanted = selections.map { (Array($0.subsystem.utf8), $0.type.map { Array($0.utf8) }) }
    }

    func validate(_ message: UnsafeRawBufferPointer) -> ValidationResult {
        guard message.count <= Self.maximumLength else { return .tooLong }
        guard let start = bodyStart(message) else { return .unusable }
        var subsystem: UnsafeRawBufferPointer?
        var type: UnsafeRawBufferPointer?
        var rest = UnsafeRawBufferPointer(rebasing: message[start...])
        while let base = rest.baseAddress, !rest.isEmpty {
            // libudev rejects a message whose last entry is not terminated.
            guard let zero = memchr(base, 0, rest.count) else { return .unusable }
            let length = UnsafeRawPointer(zero) - base
            let entry = UnsafeRawBufferPointer(rebasing: rest[..<length])
            if entry.starts(with: Self.subsystemKey) {
                let value = UnsafeRawBufferPointer(rebasing: entry[Self.subsystemKey.count...])
                // Rejects contradictory entries, because it is undefined which entry libudev uses.
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
        return isWanted ? .valid : .notSelected
    }

    /// Returns the offset of the properties.
    private func bodyStart(_ message: UnsafeRawBufferPointer) -> Int? {
        guard message.count >= Self.headSize else { return nil }
        guard message.starts(with: Self.name) else {
            // Messages of the kernel begin with a header line. Only the kernel can send to its group.
            guard group == .kernel, let zero = message.firstIndex(of: 0) else { return nil }
            return zero + 1
        }
        guard message[8..<12].elementsEqual(Self.magic) else { return nil }
        let offset = Int64(message.loadUnaligned(fromByteOffset: 16, as: UInt32.self))
        guard offset >= Int64(Self.headSize), offset < Int64(message.count) else { return nil }
        return Int(offset)
    }
}

/// The message groups that can reach this process, depending on its namespaces.
///
/// Messages from udevd reach only udevd's network namespace. Messages from the kernel reach all network namespaces that
/// are owned by the initial user namespace. In other user namespaces, libudev also rejects the kernel and udevd as
/// untrusted senders. In a namespace that messages do not reach, a socket can be opened, but receives nothing.
package struct ReachableGroups: Sendable, Equatable {
    /// The inode number of the initial user namespace, which is the same on all machines.
    private static let firstUserNamespace: UInt64 = 0xEFFF_FFFD
    /// The first file exists in every network namespace, the second only in the initial network namespace. Unlike the
    /// namespaces of other processes, the files can be examined without privileges.
    private static let everyNetwork = "/proc/sys/net/core/somaxconn"
    private static let firstNetwork = "/proc/sys/net/core/netdev_max_backlog"

    /// True in the initial user namespace, or if the namespace is unknown.
    var isFirstUser = true
    /// True in the initial network namespace, or if the namespace is unknown.
    var isFirstNetwork = true

    /// All message groups, as on a machine without namespaces.
    package static let everywhere = ReachableGroups()

    /// The message groups that can reach this process.
    package static var current: ReachableGroups {
        var status = stat()
        let isKnown = stat("/proc/self/ns/user", &status) == 0
        return ReachableGroups(
            isFirstUser: !isKnown || UInt64(status.st_ino) == firstUserNamespace,
            isFirstNetwork: access(firstNetwork, F_OK) == 0 || access(everyNetwork, F_OK) != 0)
    }

    /// Returns true if messages of the group are certain to reach this process.
    func includes(_ group: UdevGroup) -> Bool { isFirstUser && (group == .kernel || isFirstNetwork) }
}
