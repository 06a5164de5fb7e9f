// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import DeviceCore

/// A day as it is written on the command line: 2026-11-21
struct LogDay: ExpressibleByArgument {
    /// The day's first instant.
    let time: WallTime
    let text: String

    init?(argument: String) {
        let parts = argument.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 3, parts.map(\.utf8.count) == [4, 2, 2],
            argument.utf8.allSatisfy({ $0 == UInt8(ascii: "-") || (0x30...0x39).contains($0) }),
            let year = Int(parts[0]), let month = Int(parts[1]), let day = Int(parts[2]),
            let time = CivilDate.time(year: year, month: month, day: day)
        else { return nil }
        self.time = time
        text = argument
    }
}
