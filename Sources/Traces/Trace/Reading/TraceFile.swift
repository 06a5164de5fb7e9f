// SPDX-License-Identifier: Apache-2.0

import SystemCalls
public import DeviceCore

/// A trace that is there as a whole: the native format, or text with gpsd's reports in it.
///
/// Native are the traces that ``TraceWriter`` writes. Everything else is searched line by line for gpsd's reports: what
/// `gpspipe -w` prints, with or without stamps of arrival, and the mixtures of NMEA and reports that gpsd keeps for its
/// tests. Other lines are passed over. Read it with a ``TraceCursor``:
///
/// ```swift
/// let file = try TraceFile(path: "drive.trace")
/// file.bytes.withUnsafeBytes { bytes in
///     var cursor = TraceCursor(file)
///     while let record = cursor.next(bytes) { print(record) }
/// }
/// ```
public struct TraceFile: Sendable {
    /// The formats that are told apart.
    public enum Format: UInt8, Sendable {
        /// JSON Lines with a header.
        case native
        /// Text with gpsd's reports.
        case gpsd
    }

    /// The whole file.
    public let bytes: TraceBytes
    /// What to call it in messages: its path, or what the program says.
    public let name: String
    /// What it is.
    public let format: Format
    /// Its first line; nil when it is not native.
    public let header: TraceHeader?
    /// Civil time at time zero: the header's, or the first stamp of arrival; nil when the file says neither.
    public let start: WallTime?
    /// True when its events carry the time of their arrival.
    public let hasArrivalTimes: Bool

    /// The sensors of the header.
    let headerSensors: TraceSensors
    /// Where the events begin.
    let eventsOffset: Int
    /// The lines before them.
    let eventsLine: Int
    /// All its events, where nobody has to read them from the bytes.
    let readings: [TraceRecord]?

    /// Takes a file's bytes, which messages call by that name. The error says what they are instead of a trace.
    public init(bytes: [UInt8], name: String) throws(DeviceError) {
        try self.init(contents: TraceBytes(bytes), name: name)
    }

    /// Takes bytes that may lie in a file. Messages call them by that name; the error says what they are instead of a trace.
    public init(contents: TraceBytes, name: String) throws(DeviceError) {
        self.init(bytes: contents, name: name, layout: try TraceLayout(contents, name: name))
    }

    /// Opens a file of any size; what is no plain file may have ``maximumSize`` bytes. The error says what to do.
    public init(path: String) throws(DeviceError) { try self.init(contents: try TraceBytes(path: path), name: path) }

    /// A trace in which nothing happens: it begins at time zero since boot, in 1970.
    ///
    /// - Parameter name: what to call it in messages.
    public init(emptyNamed name: String) {
        bytes = TraceBytes([])
        self.name = name
        format = .native
        header = nil
        headerSensors = TraceSensors([])
        start = nil
        hasArrivalTimes = true
        eventsOffset = 0
        eventsLine = 0
        readings = nil
    }

    init(bytes: TraceBytes, name: String, header: TraceHeader, eventsOffset: Int, readings: [TraceRecord]) {
        self.bytes = bytes
        self.name = name
        format = .native
        self.header = header
        headerSensors = TraceSensors(header.sensors)
        start = header.start?.wallTime
        hasArrivalTimes = true
        self.eventsOffset = eventsOffset
        eventsLine = 1
        self.readings = readings
    }

    private init(bytes: TraceBytes, name: String, layout: TraceLayout) {
        self.bytes = bytes
        self.name = name
        format = layout.header == nil ? .gpsd : .native
        header = layout.header
        headerSensors = TraceSensors(layout.header?.sensors ?? [])
        start = layout.header == nil ? layout.firstStamp : layout.header?.start?.wallTime
        hasArrivalTimes = layout.header != nil || layout.firstStamp != nil
        eventsOffset = layout.eventsOffset
        eventsLine = layout.eventsLine
        readings = nil
    }

    /// Goes through the trace and returns all motion sensors that it speaks of: the header's, then those that only events
    /// name, in the order in which they appear. Each stands where ``TraceRecord/sensor`` of any cursor points to.
    public func findSensors() -> [SensorDescription] {
        guard format == .native else { return [] }
        if readings != nil { return headerSensors.descriptions }
        return bytes.withUnsafeBytes { bytes in
            var cursor = TraceCursor(self)
            cursor.collectSensors(bytes)
            return cursor.sensors
        }
    }

    /// Calls the closure with a cursor at the first event, and with the bytes that it reads, for those who take numbers
    /// and contents from records but no lines: readings that were made in memory are not written for that.
    package func play<Result>(_ body: (inout TraceCursor, UnsafeRawBufferPointer) -> Result) -> Result {
        var cursor = playingCursor
        return withPlayedBytes { body(&cursor, $0) }
    }

    /// A cursor for ``withPlayedBytes(_:)``.
    package var playingCursor: TraceCursor { readings.map { TraceCursor(self, readings: $0) } ?? TraceCursor(self) }

    /// Calls the closure with the bytes that a ``playingCursor`` reads; with none where it reads none.
    package func withPlayedBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        readings == nil ? bytes.withUnsafeBytes(body) : body(UnsafeRawBufferPointer(start: nil, count: 0))
    }

    /// How many bytes a ``playingCursor`` reads.
    package var playedSize: Int { readings == nil ? bytes.count : 0 }

    /// The most that is read into memory, in bytes: half of the machine's, and not more than 1 GiB (256 MiB where addresses
    /// have 32 bits). Large plain files are not read into memory: see ``TraceBytes``.
    public static var maximumSize: Int {
        let most = Int.bitWidth > 32 ? 1 << 30 : 1 << 28
        let pages = Int64(sysconf(Int32(_SC_PHYS_PAGES)))
        let pageSize = Int64(sysconf(Int32(_SC_PAGESIZE)))
        guard pages > 0, pageSize > 0 else { return most }
        return min(most, Int(clamping: pages.multipliedReportingOverflow(by: pageSize).partialValue / 2))
    }
}
