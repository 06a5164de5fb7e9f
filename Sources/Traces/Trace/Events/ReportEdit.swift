// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import GPSDProtocol
import JSONBytes

/// Changes single members of a report and leaves every other byte as it is.
package struct ReportEdit {
    /// The receiver to name in a report that names none; nil to leave it.
    package var receiver: String?
    /// By how many nanoseconds times are moved.
    package var shift: Int64
    /// False to leave the times of the machine on which gpsd runs, which are not the receiver's.
    package var movesMachine: Bool
    /// The path of the receiver whose reports are changed; nil for all.
    package var only: String?
    /// True to leave out what gpsd sends with "timing" only.
    package var dropsTiming: Bool

    /// A change of those parts.
    package init(
        receiver: String? = nil, shift: Int64 = 0, movesMachine: Bool = true, only: String? = nil,
        dropsTiming: Bool = false
    ) {
        self.receiver = receiver
        self.shift = shift
        self.movesMachine = movesMachine
        self.only = only
        self.dropsTiming = dropsTiming
    }

    /// The changed report; the same one when there is nothing to change, or when it is not JSON.
    package func apply(to line: [UInt8]) -> [UInt8] {
        guard receiver != nil || shift != 0 || dropsTiming else { return line }
        return line.withUnsafeBytes { bytes in
            do throws(JSONError) {
                return try edited(bytes)
            } catch {
                return line
            }
        }
    }

    private func edited(_ bytes: UnsafeRawBufferPointer) throws(JSONError) -> [UInt8] {
        var reader = JSONReader(bytes)
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count + 64)
        var hasReceiver = false
        // Where the receiver is to be named: behind the class.
        var place: Int?
        try reader.beginObject()
        result.append(contentsOf: bytes[..<reader.offset])
        while true {
            // With the comma before it, and blanks.
            let start = reader.offset
            guard let key = try reader.nextKey() else { break }
            let valueStart = reader.offset
            let value = try reader.readRawValue()
            let end = reader.offset
            if dropsTiming, result.count > 1, Self.isTiming(key) { continue }
            if key.word == JSONText.word("device") {
                hasReceiver = true
                if let only, !Self.isText(value, only) { return Array(bytes) }
            }
            if let text = moved(key, value) {
                result.append(contentsOf: bytes[start..<valueStart])
                result.append(contentsOf: text)
            } else {
                result.append(contentsOf: bytes[start..<end])
            }
            if key.word == JSONText.word("class") { place = result.count }
        }
        try reader.finish()
        if only != nil, !hasReceiver { return Array(bytes) }
        result.append(UInt8(ascii: "}"))
        if let receiver, !hasReceiver, let place {
            var writer = JSONWriter(appendingTo: Array(#","device":"#.utf8))
            writer.string(receiver)
            result.insert(contentsOf: writer.bytes, at: place)
        }
        return result
    }

    /// The value of a member that is a time, moved; nil for others.
    private func moved(_ key: JSONText, _ value: UnsafeRawBufferPointer) -> [UInt8]? {
        guard shift != 0 else { return nil }
        let isMachine = key.equals("activated") || key.equals("clock_sec")
        if isMachine, !movesMachine { return nil }
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
        var reader = JSONReader(value)
        do throws(JSONError) {
            return try reader.textIfPresent()?.string() == text
        } catch {
            return false
        }
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
