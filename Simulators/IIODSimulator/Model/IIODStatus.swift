// SPDX-License-Identifier: Apache-2.0

import SystemCalls

/// Why a command failed: the error number that is sent with a minus sign before it.
struct IIODStatus: Error, Hashable {
    let number: Int32

    init(_ number: Int32) { self.number = number }

    /// The number as it is sent.
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

/// The channels that a client wants, as OPEN names them.
///
/// Eight hexadecimal digits for every 32 channels, the most significant word first. The number of a bit is the place of
/// the channel in the device's list.
struct IIODChannelMask: Hashable {
    /// Places in the list of channels, rising.
    let channels: [Int]
    /// The mask as it is sent back.
    let text: [UInt8]

    /// Reads the digits; nil when their number does not fit the device or one is none.
    init?(_ digits: String, channelCount: Int) {
        let words = (channelCount + 31) / 32
        let bytes = Array(digits.utf8)
        guard words > 0, bytes.count == words * 8 else { return nil }
        var channels: [Int] = []
        for (place, byte) in bytes.enumerated() {
            guard let digit = Character(UnicodeScalar(byte)).hexDigitValue else { return nil }
            let lowest = (bytes.count - 1 - place) * 4
            for bit in 0..<4 where digit & (1 << bit) != 0 && lowest + bit < channelCount {
                channels.append(lowest + bit)
            }
        }
        self.channels = channels.sorted()
        // iiod writes small letters whatever it was given.
        text = Array(digits.lowercased().utf8)
    }
}
