// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// The lines of a recording, with their numbers.
struct RecordingLines {
    private let bytes: [UInt8]
    private let name: String
    private var offset = 0
    /// The line that was handed out last, counted from 1.
    private(set) var number = 0

    init(_ bytes: [UInt8], name: String) {
        self.bytes = bytes
        self.name = name
    }

    /// The next line without its end; nil at the end of the file.
    mutating func next() -> ArraySlice<UInt8>? {
        guard offset < bytes.count else { return nil }
        number += 1
        let rest = bytes[offset...]
        guard let end = rest.firstIndex(of: UInt8(ascii: "\n")) else {
            offset = bytes.count
            return rest
        }
        offset = end + 1
        return rest[..<end]
    }

    /// That the line cannot be read.
    func failure(_ reason: String) -> DeviceError {
        DeviceError(.invalidTrace, "\(name), line \(number): \(reason)")
    }
}

extension ArraySlice<UInt8> {
    /// The element that many places behind the start; nil when there is none.
    func at(_ place: Int) -> UInt8? {
        place < count ? self[startIndex + place] : nil
    }
}
