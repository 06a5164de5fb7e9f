// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Derives the identifier of a machine for the programs of one vendor.
///
/// It is made as systemd makes the ids of a machine for an application (`sd_id128_get_machine_app_specific`): the first
/// 16 bytes of HMAC-SHA256 with the machine's id as the key, marked as a random UUID (version 4). The machine's id
/// cannot be found from it, and two vendors' identifiers tell nothing of each other.
enum VendorIdentifier {
    /// The identifier of a machine of that id for that vendor.
    static func make(machine: [UInt8], vendor: String) -> UUID {
        var bytes = SHA256.authenticate(Array(vendor.utf8), key: machine)
        bytes[6] = bytes[6] & 0x0F | 0x40
        bytes[8] = bytes[8] & 0x3F | 0x80
        return UUID(
            uuid: (
                bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6], bytes[7], bytes[8], bytes[9],
                bytes[10], bytes[11], bytes[12], bytes[13], bytes[14], bytes[15]
            ))
    }

    /// Who made a program: its bundle identifier without the last part, else the program's name.
    static func vendor(bundleIdentifier: String?, program: String) -> String {
        guard let bundleIdentifier, let dot = bundleIdentifier.lastIndex(of: "."),
            dot != bundleIdentifier.startIndex
        else { return program }
        return String(bundleIdentifier[..<dot])
    }
}
