// SPDX-License-Identifier: Apache-2.0

import SystemCalls

/// The errno value of a failed command. It is sent as a negative number.
struct IIODStatus: Error, Hashable {
    let number: Int32

    init(_ number: Int32) { self.number = number }

    var code: Int64 { -Int64(number) }
    static let invalid = IIODStatus(EINVAL)
    static let noMemory = IIODStatus(ENOMEM)
    static let noDevice = IIODStatus(ENODEV)
    static let noChannel = IIODStatus(ENXIO)
    static let noEntry = IIODStatus(ENOENT)
    static let notAllowed = IIODStatus(EACCES)
    static let notPermitted = IIODStatus(EPERM)
    static let busy = IIODStatus(EBUSY)
    static let notOpen = IIODStatus(EBADF)
    static let inputOutput = IIODStatus(EIO)
}

/// The channels that a client enables with OPEN. The mask has eight hexadecimal digits for every 32 channels, most
/// significant word first. Bit n represents the channel at index n of the device's list.
struct IIODChannelMask: Hashable {
    let channels: [Int]
    let text: [UInt8]

    /// Returns nil if the mask contains an invalid digit or has the wrong length for the number of channels.
    init?(_ digits: String, channelCount: Int) {
        let words = (channelCount + 31) / 32
        let bytes = Array(digits.utf8)
        guard words > 0, bytes.count == words * 8 else { return nil }
        var channels: [Int] = []
        for (index, byte) in bytes.enumerated() {
            guard let digit = Character(UnicodeScalar(byte)).hexDigitValue else { return nil }
            let lowest = (bytes.count - 1 - index) * 4
            for bit in 0..<4 where digit & (1 << bit) != 0 && lowest + bit < channelCount {
                channels.append(lowest + bit)
            }
        }
        self.channels = channels.sorted()
        // iiod always sends the mask in lower case.
        text = Array(digits.lowercased().utf8)
    }
}
