// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import GPSDProtocol

/// The layout of a file, detected from its beginning.
struct TraceLayout {
    /// The header of a native trace, or nil for gpsd output.
    var header: TraceHeader?
    /// The arrival time of the first report in gpsd output, or nil if the report has no stamp.
    var firstStamp: WallTime?
    var eventsOffset = 0
    /// The number of lines before the first event.
    var eventsLine = 0

    init(_ bytes: TraceBytes, name: String) throws(DeviceError) {
        self = try bytes.withUnsafeBytes { (raw) throws(DeviceError) in
            try TraceLayout(raw, bytes.file, name: name)
        }
    }

    private init(_ bytes: UnsafeRawBufferPointer, _ file: MappedFile?, name: String) throws(DeviceError) {
        if ByteMatching.hasPrefix(bytes, at: 0, end: bytes.count, "\u{feff}") { eventsOffset = 3 }
        guard bytes.count > eventsOffset else {
            throw DeviceError(.invalidTrace, "\(name) is empty and contains no trace. Record it again.")
        }
        try Self.rejectUnsupportedEncodings(bytes, name)
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

    private static func rejectUnsupportedEncodings(_ bytes: UnsafeRawBufferPointer, _ name: String) throws(DeviceError)
    {
        if bytes.count >= 2, bytes[0] == 0x1f, bytes[1] == 0x8b {
            throw DeviceError(.notSupported, "\(name) is compressed with gzip. Decompress it first: gunzip \(name)")
        }
        if bytes.count >= 2, (bytes[0] == 0xff && bytes[1] == 0xfe) || (bytes[0] == 0xfe && bytes[1] == 0xff) {
            throw DeviceError(
                .invalidTrace, "\(name) is UTF-16 text. Convert it to UTF-8 first: iconv -f UTF-16 -t UTF-8 \(name)")
        }
    }

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
        let remedy =
            "TraceFile reads only traces and gpsd reports. Open the file with SimulatedDevice(recording:), or convert it: sensorctl convert \(name) NAME.trace"
        let hint =
            if cursor.sentenceCount > 0 {
                "It contains NMEA sentences. \(remedy)"
            } else if let format = Self.foreignFormat(bytes) {
                "It is \(format). \(remedy)"
            } else {
                "A trace begins with a header line; a gpsd recording is the output of gpspipe -w."
            }
        throw DeviceError(.invalidTrace, "\(name) is not a trace, and none of its lines is a gpsd report. \(hint)")
    }

    /// Returns the name of the format, with an article, if the beginning of the file identifies a format that other
    /// modules read.
    private static func foreignFormat(_ bytes: UnsafeRawBufferPointer) -> String? {
        if bytes.starts(with: [0x89, 0x4d, 0x43, 0x41, 0x50]) { return "an MCAP file" }
        let text = String(decoding: bytes.prefix(1024), as: UTF8.self)
        if text.contains("<gpx") || text.contains(":gpx") { return "a GPX file" }
        let columns = text.prefix { !$0.isNewline }.split(whereSeparator: { ",;\t".contains($0) })
        return columns.count > 2 ? "a table" : nil
    }
}
