// SPDX-License-Identifier: Apache-2.0

import JSONBytes

extension TraceCursor {
    /// Returns the report on a line of gpsd's text; nil if there is none.
    mutating func gpsdRecord(_ bytes: UnsafeRawBufferPointer, _ line: Range<Int>, isEnded: Bool) -> TraceRecord? {
        var start = line.lowerBound
        stamp = nil
        switch bytes[start] {
        case UInt8(ascii: "{"): break
        case UInt8(ascii: "$"), UInt8(ascii: "!"), UInt8(ascii: "#"):
            if bytes[start] != UInt8(ascii: "#") { sentenceCount &+= 1 }
            skippedLines &+= 1
            return nil
        default:
            guard let report = ArrivalStamp.reportStart(bytes, line) else {
                if ArrivalStamp.isStampedSentence(bytes, line) { skippedLines &+= 1 } else { skip(.notAReport) }
                return nil
            }
            stamp = ArrivalStamp.time(UnsafeRawBufferPointer(rebasing: bytes[start..<report - 2]))
            start = report
        }
        let range = start..<line.upperBound
        // A last line without a line feed may be truncated at any position.
        let isWhole = isEnded || JSONReader.isCompleteValue(UnsafeRawBufferPointer(rebasing: bytes[range]))
        guard bytes[line.upperBound &- 1] == UInt8(ascii: "}"), isWhole else {
            skipMalformed(isEnded: isEnded)
            return nil
        }
        return TraceRecord(time: arrivalTime(isStamped: start > line.lowerBound), kind: .gpsd, range: range)
    }
}
