// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

extension NMEAEncoder {
    /// A tag block that says when the sentence behind it arrived: `\c:…*hh\`.
    ///
    /// - Parameter time: milliseconds since 1970.
    public static func tagBlock(time: Int64) -> [UInt8] {
        let contents = [UInt8]("c:\(max(time, 0))".utf8)
        let sum = contents.reduce(0, ^)
        return [UInt8(ascii: "\\")] + contents
            + [
                UInt8(ascii: "*"), NMEASentenceText.digit(sum >> 4), NMEASentenceText.digit(sum & 15),
                UInt8(ascii: "\\"),
            ]
    }
}
