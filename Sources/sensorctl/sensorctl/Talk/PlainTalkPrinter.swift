// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// Hands on what the accessory says, and nothing else.
final class PlainTalkPrinter: TalkPrinter {
    private let output: StandardOutput
    private let isForPeople: Bool
    private let endingKey: String?

    /// - Parameters:
    ///   - isForPeople: true to show control characters in a terminal instead of letting it obey them.
    ///   - endingKey: the key that ends the conversation, for somebody who types.
    init(output: StandardOutput, isForPeople: Bool, endingKey: String? = nil) {
        self.output = output
        self.isForPeople = isForPeople
        self.endingKey = endingKey
    }

    func opened(_ accessory: AccessoryDescription, protocol name: String) {
        if let endingKey { Notes.say("talking to \(accessory.label), \(name); \(endingKey) ends it") }
    }

    func received(_ bytes: [UInt8]) {
        output.write(isForPeople ? Self.visible(bytes) : bytes)
    }

    func sent(_ bytes: [UInt8]) {}

    func ended(_ end: ByteChannelEnd) {}

    /// The bytes with control characters other than tab and the ends of lines as cat -v writes them: ^[ for escape.
    static func visible(_ bytes: [UInt8]) -> [UInt8] {
        guard bytes.contains(where: isHidden) else { return bytes }
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count + 16)
        for byte in bytes {
            if isHidden(byte) {
                result.append(UInt8(ascii: "^"))
                result.append(byte ^ 0x40)
            } else {
                result.append(byte)
            }
        }
        return result
    }

    private static func isHidden(_ byte: UInt8) -> Bool {
        byte == 0x7F || (byte < 0x20 && byte != 9 && byte != 10 && byte != 13)
    }
}
