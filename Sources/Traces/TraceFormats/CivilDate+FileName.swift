// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore

extension CivilDate {
    /// A time like 2026-11-21_03-39-16 for a name; the fraction of a second is cut off.
    var fileNameText: String {
        var bytes: [UInt8] = []
        for (index, part) in [year, month, day, hour, minute, second].enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: index == 3 ? "_" : "-")) }
            Self.append(part, digits: index == 0 ? 4 : 2, to: &bytes)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
