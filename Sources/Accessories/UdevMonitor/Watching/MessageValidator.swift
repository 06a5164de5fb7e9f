// SPDX-License-Identifier: Apache-2.0

import SystemCalls

/// Validates messages before libudev reads them.
///
/// libudev 252 does not check the properties offset in the message header, so an invalid offset may make it access
/// arbitrary memory. Messages that match no selection must also be discarded here. Otherwise, libudev would skip them
/// and read the next message in the same call, before it has been validated.
struct MessageValidator {
    enum ValidationResult {
        case valid
        case notSelected
        case unusable
        case tooLong
    }

    /// The maximum length of a message, in bytes. All messages from udevd and the kernel are shorter.
    static let maximumLength = 16_384
    /// The size of libudev's message header, which consists of a prefix (8 bytes), the magic number, the header size,
    /// the properties offset, and other fields.
    private static let headerSize = 40
    private static let magic: [UInt8] = [0xFE, 0xED, 0xCA, 0xFE]
    private static let name: [UInt8] = Array("libudev\0".utf8)
    private static let subsystemKey: [UInt8] = Array("SUBSYSTEM=".utf8)
    private static let typeKey: [UInt8] = Array("DEVTYPE=".utf8)

    private let group: UdevGroup
    private let selections: [(subsystem: [UInt8], type: [UInt8]?)]

    init(_ group: UdevGroup, _ selections: [UdevSelection]) {
        self.group = group
        self.selections = selections.map { (Array($0.subsystem.utf8), $0.type.map { Array($0.utf8) }) }
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
                // If a key has two different values, libudev could use either, so the message is rejected.
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
        let isSelected = selections.contains { selection in
            guard subsystem.elementsEqual(selection.subsystem) else { return false }
            guard let selectedType = selection.type else { return true }
            return type?.elementsEqual(selectedType) ?? false
        }
        return isSelected ? .valid : .notSelected
    }

    private func bodyStart(_ message: UnsafeRawBufferPointer) -> Int? {
        guard message.count >= Self.headerSize else { return nil }
        guard message.starts(with: Self.name) else {
            // Kernel messages begin with a line of text instead of a libudev header. They are accepted only in the
            // kernel group, because only the kernel can send to it.
            guard group == .kernel, let zero = message.firstIndex(of: 0) else { return nil }
            return zero + 1
        }
        guard message[8..<12].elementsEqual(Self.magic) else { return nil }
        let offset = Int64(message.loadUnaligned(fromByteOffset: 16, as: UInt32.self))
        guard offset >= Int64(Self.headerSize), offset < Int64(message.count) else { return nil }
        return Int(offset)
    }
}

/// Determines which message groups can reach this process, which depends on the process's namespaces.
///
/// Messages from udevd reach only udevd's network namespace. Messages from the kernel reach all network namespaces that
/// the initial user namespace owns. In any other user namespace, libudev rejects messages from the kernel and udevd,
/// because it does not trust their senders there. A process can open a socket in any namespace, but the socket may
/// never receive a message.
package struct ReachableGroups: Sendable, Equatable {
    /// The inode number of the initial user namespace, which is the same on all machines.
    private static let initialUserNamespace: UInt64 = 0xEFFF_FFFD
    /// These files show whether this process is in the initial network namespace. `initialNetworkFile` exists only
    /// there, whereas `anyNetworkFile` exists in every network namespace. Unlike other processes' namespaces, these
    /// files can be read without privileges.
    private static let anyNetworkFile = "/proc/sys/net/core/somaxconn"
    private static let initialNetworkFile = "/proc/sys/net/core/netdev_max_backlog"

    /// True if this process is in the initial user namespace, or if its user namespace is unknown.
    var isInitialUserNamespace = true
    /// True if this process is in the initial network namespace, or if its network namespace is unknown.
    var isInitialNetworkNamespace = true

    package static let all = ReachableGroups()

    package static var current: ReachableGroups {
        var status = stat()
        let hasStatus = stat("/proc/self/ns/user", &status) == 0
        return ReachableGroups(
            isInitialUserNamespace: !hasStatus || UInt64(status.st_ino) == initialUserNamespace,
            isInitialNetworkNamespace: access(initialNetworkFile, F_OK) == 0 || access(anyNetworkFile, F_OK) != 0)
    }

    /// Returns true if the group's messages are certain to reach this process.
    func includes(_ group: UdevGroup) -> Bool {
        isInitialUserNamespace && (group == .kernel || isInitialNetworkNamespace)
    }
}
