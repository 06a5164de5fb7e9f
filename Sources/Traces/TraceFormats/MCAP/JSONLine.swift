// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import JSONBytes

/// A JSON object as one line, which is what traces hold.
enum JSONLine {
    /// The bytes of the object, without what stands between its parts where there are line ends; nil for anything else.
    static func object(_ json: UnsafeRawBufferPointer) -> [UInt8]? {
        var reader = JSONReader(json)
        do throws(JSONError) {
            guard try reader.peekKind() == .object else { return nil }
            try reader.skipValue()
            try reader.finish()
        } catch {
            return nil
        }
        let isLineEnd = { (byte: UInt8) in byte == 0x0a || byte == 0x0d }
        guard json.first != UInt8(ascii: "{") || json.contains(where: isLineEnd) else { return [UInt8](json) }
        var line: [UInt8] = []
        line.reserveCapacity(json.count)
        var isText = false
        var isEscaped = false
        for byte in json {
            if isText {
                if byte == UInt8(ascii: "\""), !isEscaped { isText = false }
                isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
            } else if byte <= 0x20 {
                continue
            } else if byte == UInt8(ascii: "\"") {
                isText = true
            }
            line.append(byte)
        }
        return line
    }
}
