// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import GPSDProtocol
import JSONBytes

/// Edits members of a gpsd report and leaves all other bytes unchanged.
package struct ReportEdit {
    /// The receiver to add to reports that do not name one.
    package var receiver: String?
    /// The offset to add to times, in nanoseconds.
    package var shift: Int64
    /// Whether to also shift times that were taken from the clock of gpsd's host.
    package var shiftsHostTimes: Bool
    /// The path of the receiver whose reports are edited, or nil for all receivers.
    package var receiverFilter: String?
    /// Whether to remove the members that gpsd adds only for clients that enable `timing`.
    package var removesTimingMembers: Bool

    package init(
        receiver: String? = nil, shift: Int64 = 0, shiftsHostTimes: Bool = true, receiverFilter: String? = nil,
        removesTimingMembers: Bool = false
    ) {
        (self.receiver, self.shift, self.shiftsHostTimes) = (receiver, shift, shiftsHostTimes)
        (self.receiverFilter, self.removesTimingMembers) = (receiverFilter, removesTimingMembers)
    }

    /// Returns the edited report, or the original report if no edit applies or the report is not valid JSON.
    package func apply(to line: [UInt8]) -> [UInt8] {
        guard receiver != nil || shift != 0 || removesTimingMembers else { return line }
        return line.withUnsafeBytes { bytes in
            do throws(JSONError) { return try edited(bytes) } catch { return line }
        }
    }

    private func edited(_ bytes: UnsafeRawBufferPointer) throws(JSONError) -> [UInt8] {
        var reader = JSONReader(bytes)
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count + 64)
        var hasReceiver = false
        // The offset at which the receiver is inserted, just after the `class` member.
        var insertionOffset: Int?
        try reader.beginObject()
        let firstStart = reader.offset
        result.append(contentsOf: bytes[..<firstStart])
        while true {
            // `start` precedes the comma and any spaces before the member, so copying from `start` includes them.
            let start = reader.offset
            guard let key = try reader.nextKey() else { break }
            let valueStart = reader.offset
            let value = try reader.readRawValue()
            let end = reader.offset
            // A timing member that comes first is kept, because the comma after it belongs to the second member.
            if removesTimingMembers, start > firstStart, Self.isTiming(key) { continue }
            if key.word == JSONText.word("device") {
                hasReceiver = true
                if let receiverFilter, !Self.isText(value, receiverFilter) { return Array(bytes) }
            }
            if let text = shiftedValue(of: key, value) {
                result.append(contentsOf: bytes[start..<valueStart])
                result.append(contentsOf: text)
            } else {
                result.append(contentsOf: bytes[start..<end])
            }
            if key.word == JSONText.word("class") { insertionOffset = result.count }
        }
        try reader.finish()
        if receiverFilter != nil, !hasReceiver { return Array(bytes) }
        result.append(UInt8(ascii: "}"))
        if let receiver, !hasReceiver, let insertionOffset {
            var writer = JSONWriter(appendingTo: Array(#","device":"#.utf8))
            writer.string(receiver)
            result.insert(contentsOf: writer.bytes, at: insertionOffset)
        }
        return result
    }

    private func shiftedValue(of key: JSONText, _ value: UnsafeRawBufferPointer) -> [UInt8]? {
        guard shift != 0 else { return nil }
        let isHostTime = key.equals("activated") || key.equals("clock_sec")
        if isHostTime, !shiftsHostTimes { return nil }
        if key.word == JSONText.word("time") || key.equals("activated") {
            guard value.first == UInt8(ascii: "\""), value.count > 2 else { return nil }
            let text = UnsafeRawBufferPointer(rebasing: value[1..<value.count - 1])
            guard let time = WallTime(iso8601: text) else { return nil }
            let point = text.firstIndex(of: UInt8(ascii: "."))
            var result = [UInt8(ascii: "\"")]
            CivilDate(WallTime(nanoseconds: time.nanoseconds.addingSaturated(shift)))
                .appendISO8601(decimals: point.map { text.count - 2 - $0 } ?? 0, to: &result)
            return result + [UInt8(ascii: "\"")]
        }
        guard key.word == JSONText.word("real_sec") || key.equals("clock_sec") else { return nil }
        guard let seconds = Int64(String(decoding: value, as: UTF8.self)) else { return nil }
        return Array(String(seconds.addingSaturated(shift / 1_000_000_000)).utf8)
    }

    private static func isText(_ value: UnsafeRawBufferPointer, _ text: String) -> Bool {
        JSONReader.parse(value) { reader throws(JSONError) in try reader.textIfPresent()?.string() } == text
    }

    private static func isTiming(_ key: JSONText) -> Bool {
        switch key.word {
        case JSONText.word("rtime"), JSONText.word("pps"), JSONText.word("sor"), JSONText.word("chars"),
            JSONText.word("sats"), JSONText.word("week"), JSONText.word("tow"):
            true
        default: key.equals("rollovers")
        }
    }
}
