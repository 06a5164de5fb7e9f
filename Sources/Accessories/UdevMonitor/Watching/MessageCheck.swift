// This source file is part of the swift-device-services project.
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
