// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import JSONBytes

extension GPSDDecoder {
    /// The path of a receiver; empty when it is absent or too long.
    mutating func readReceiver(_ reader: inout JSONReader) throws(JSONError) -> String {
        guard let text = try reader.textIfPresent(), text.rawBytes.count <= Self.maximumTextLength,
            !text.rawBytes.isEmpty
        else { return "" }
        return receivers.name(text)
    }
}
