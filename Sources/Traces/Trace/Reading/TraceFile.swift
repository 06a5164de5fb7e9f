// SPDX-License-Identifier: Apache-2.0

import SystemCalls
public import DeviceCore

/// A complete trace: a file in the native format, or text that contains gpsd reports.
///
/// ``TraceWriter`` writes the native format. Any other file, for example the output of `gpspipe -w`, is searched for
/// gpsd reports, and lines without a report are skipped. To read the events, iterate over the trace:
///
/// ```swift
/// let trace = try TraceFile(path: "drive.trace")
/// for event in trace { print(event.time ?? 0, event.contents) }
/// for warning in trace.warnings { print(warning) }
/// ```
public struct TraceFile: Sendable {
    package enum Format: UInt8, Sendable {
        case native
        case gpsd
    }

    package let bytes: TraceBytes
    /// The trace's path, or a name chosen by the program. Identifies the trace in messages.
    public let name: String
    package let format: Format
    /// The header, or nil for gpsd output.
    public let header: TraceHeader?
    /// The civil time at time zero, from the header or the first arrival stamp, or nil if the file contains neither.
    public let start: WallTime?
    /// True if the events have arrival times.
    public let hasArrivalTimes: Bool

    let headerSensors: TraceSensors
    let eventsOffset: Int
    /// The number of lines before the first event.
    let eventsLine: Int
    /// All events of an in-memory trace, or nil if the events are parsed from the bytes.
    let readings: [TraceRecord]?

    /// Creates a trace from bytes in memory.
    ///
    /// - Parameters:
    ///   - bytes: The contents of a file.
    ///   - name: The name that identifies the trace in messages.
    /// - Throws: If the bytes are not a trace, an error that describes them.
    public init(bytes: [UInt8], name: String) throws(DeviceError) {
        try self.init(contents: TraceBytes(bytes), name: name)
    }

    package init(contents: TraceBytes, name: String) throws(DeviceError) {
        let layout = try TraceLayout(contents, name: name)
        let isNative = layout.header != nil
        self.init(
            contents, name: name, format: isNative ? .native : .gpsd, header: layout.header,
            start: isNative ? layout.header?.start?.wallTime : layout.firstStamp,
            hasArrivalTimes: isNative || layout.firstStamp != nil, eventsOffset: layout.eventsOffset,
            eventsLine: layout.eventsLine)
    }

    /// Opens a file. Anything other than a regular file, such as a pipe, must not be larger than 1 GiB (256 MiB on
    /// 32-bit platforms) or half of the physical memory, whichever is smaller.
    ///
    /// - Throws: An error whose message suggests a remedy.
    public init(path: String) throws(DeviceError) { try self.init(contents: try TraceBytes(path: path), name: path) }

    /// Creates an empty trace, with no header and no start time.
    package init(emptyNamed name: String) {
        self.init(TraceBytes([]), name: name, format: .native, header: nil, start: nil)
    }

    init(bytes: TraceBytes, name: String, header: TraceHeader, eventsOffset: Int, readings: [TraceRecord]) {
        self.init(
            bytes, name: name, format: .native, header: header, start: header.start?.wallTime,
            eventsOffset: eventsOffset, eventsLine: 1, readings: readings)
    }

    private init(
        _ bytes: TraceBytes, name: String, format: Format, header: TraceHeader?, start: WallTime?,
        hasArrivalTimes: Bool = true, eventsOffset: Int = 0, eventsLine: Int = 0, readings: [TraceRecord]? = nil
    ) {
        (self.bytes, self.name, self.format, self.header) = (bytes, name, format, header)
        (self.start, self.hasArrivalTimes, self.readings) = (start, hasArrivalTimes, readings)
        (self.eventsOffset, self.eventsLine) = (eventsOffset, eventsLine)
        headerSensors = TraceSensors(header?.sensors ?? [])
    }

    /// Reads the trace and returns all its motion sensors. ``TraceRecord/sensor`` is an index into the result.
    package func findSensors() -> [SensorDescription] {
        guard format == .native else { return [] }
        if readings != nil { return headerSensors.descriptions }
        return bytes.withUnsafeBytes { bytes in
            var cursor = TraceCursor(self)
            cursor.collectSensors(bytes)
            return cursor.sensors
        }
    }

    /// Calls the closure with a cursor at the first event and the bytes that the cursor needs. For an in-memory trace,
    /// the bytes are empty, so the closure must not use the `range` of a record.
    package func play<Result>(_ body: (inout TraceCursor, UnsafeRawBufferPointer) -> Result) -> Result {
        var cursor = playingCursor
        return withPlayedBytes { body(&cursor, $0) }
    }

    /// A cursor at the first event. ``withPlayedBytes(_:)`` provides the bytes that it needs.
    package var playingCursor: TraceCursor { readings.map { TraceCursor(self, readings: $0) } ?? TraceCursor(self) }

    /// Calls the closure with the bytes that a ``playingCursor`` needs. For an in-memory trace, the bytes are empty.
    package func withPlayedBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        readings == nil ? bytes.withUnsafeBytes(body) : body(UnsafeRawBufferPointer(start: nil, count: 0))
    }

    /// The number of bytes that a ``playingCursor`` reads. It is 0 for an in-memory trace.
    package var playedSize: Int { readings == nil ? bytes.count : 0 }

    /// The maximum size of a trace that is read from a stream, in bytes. It is half of the physical memory, but at most
    /// 1 GiB (256 MiB on 32-bit platforms).
    package static var maximumSize: Int {
        let maximum = Int.bitWidth > 32 ? 1 << 30 : 1 << 28
        let pages = Int64(sysconf(Int32(_SC_PHYS_PAGES)))
        let pageSize = Int64(sysconf(Int32(_SC_PAGESIZE)))
        guard pages > 0, pageSize > 0 else { return maximum }
        return Swift.min(maximum, Int(clamping: pages.multipliedReportingOverflow(by: pageSize).partialValue / 2))
    }
}

/// The events in file order. Unusable lines are skipped and reported in ``TraceFile/warnings``.
extension TraceFile: Sequence {
    /// An iterator over the events of a trace.
    public struct Iterator: IteratorProtocol, Sendable {
        private let file: TraceFile
        private var cursor: TraceCursor

        fileprivate init(_ file: TraceFile) {
            self.file = file
            cursor = file.playingCursor
        }

        /// The warnings about the header and the lines read so far. At most 100 warnings are stored.
        public var warnings: [TraceWarning] { cursor.warnings }

        /// The total number of warnings so far, including those that are not stored.
        public var warningCount: Int { cursor.warningCount }

        /// Returns the next event, including a copy of its contents, or nil at the end of the trace.
        public mutating func next() -> TraceEvent? { file.withPlayedBytes { cursor.nextEvent($0) } }
    }

    /// Creates an iterator positioned before the first event.
    public func makeIterator() -> Iterator { Iterator(self) }

    /// Up to 100 warnings about lines that were skipped or only partly read. Each access to this property reads the
    /// whole trace. If you iterate over the trace anyway, use the iterator's warnings instead.
    public var warnings: [TraceWarning] {
        play { cursor, bytes in
            while cursor.next(bytes) != nil {}
            return cursor.warnings
        }
    }
}
