// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// How a stream of bytes becomes reports of a HID device, and back.
///
/// A report has a fixed length. What is written is cut into reports, and the last one is filled up with zeros; what is
/// read is every byte of every report.
public struct HIDFraming: Sendable, Hashable {
    /// Bytes of data in a report, without its number; 1 to 16,384.
    public var reportLength: Int
    /// The number of the report that carries data; 0 where reports are not numbered.
    public var reportNumber: UInt8

    /// Reports of that length.
    public init(reportLength: Int, reportNumber: UInt8 = 0) {
        self.reportLength = reportLength
        self.reportNumber = reportNumber
    }
}
