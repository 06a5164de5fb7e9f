// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import GPSDProtocol

/// What a look at the beginning of a file says about it.
struct TraceLayout {
    /// The header of a native trace; nil in gpsd's text.
    var header: TraceHeader?
    /// The arrival of the first report of gpsd's text.
    var firstStamp: WallTime?
    /// Where the events begin.
    var eventsOffset = 0
    /// The lines before them.
    var eventsLine = 0

    init(_ bytes: TraceBytes, name: String) throws(DeviceError) {
        self = try bytes.withUnsafeBytes { (raw) throws(DeviceError) in
            try TraceLayout(raw, bytes.file, name: name)
        }
    }

    private init(_ bytes: UnsafeRawBufferPointer, _ file: MappedFile?, name: String) throws(DeviceError) {
        if Bytes.start(bytes, at: 0, end: bytes.count, with: "\u{feff}") { eventsOffset = 3 }
        guard bytes.count > eventsOffset else {
            throw DeviceError(.invalidTrace, "\(name) is empty: there is no trace in it. Record it again.")
        }
        try Self.refusePacked(bytes, name)
        var lines = TraceLines(offset: eventsOffset, line: 0, file: file)
        if let first = lines.next(bytes), !first.range.isEmpty {
            let line = UnsafeRawBufferPointer(rebasing: bytes[first.range])
            if TraceHeader.isHeader(line) {
                header = try TraceHeader(line, name: name)
                eventsOffset = lines.offset
                eventsLine = lines.line
                return
            }
        }
        try findReport(bytes, file, name)
    }

    private static func refusePacked(_ bytes: UnsafeRawBufferPointer, _ name: String) throws(DeviceError) {
        if bytes.count >= 2, bytes[0] == 0x1f, bytes[1] == 0x8b {
            throw DeviceError(.notSupported, "\(name) is packed with gzip. Unpack it first: gunzip \(name)")
        }
        if bytes.count >= 2, (bytes[0] == 0xff && bytes[1] == 0xfe) || (bytes[0] == 0xfe && bytes[1] == 0xff) {
            throw DeviceError(
                .invalidTrace, "\(name) is text in UTF-16. Convert it to UTF-8 first: iconv -f UTF-16 -t UTF-8 \(name)")
        }
    }

    /// Looks for the first line that gpsd could have written.
    private mutating func findReport(
        _ bytes: UnsafeRawBufferPointer, _ file: MappedFile?, _ name: String
    ) throws(DeviceError) {
        var cursor = TraceCursor(searchingFrom: eventsOffset, file)
        var decoder = GPSDDecoder()
        while let record = cursor.next(bytes) {
            let line = UnsafeRawBufferPointer(rebasing: bytes[record.range])
            if case .malformed = decoder.decode(line) { continue }
            firstStamp = cursor.stamp.map { WallTime(nanoseconds: $0) }
            return
        }
        let hint =
            if cursor.sentences > 0 {
                "There are NMEA sentences: let gpsd decode them, and record its reports with gpspipe -w."
            } else {
                "A trace begins with a header line; a recording of gpsd is what gpspipe -w prints."
            }
        throw DeviceError(.invalidTrace, "\(name) is no trace, and no line of it is a report of gpsd. \(hint)")
    }
}
