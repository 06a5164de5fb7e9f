// SPDX-License-Identifier: Apache-2.0

public import DeviceCore

/// Where a trace goes: into a file (``TraceWriter``) or into memory (``TraceBuilder``).
///
/// The header comes first and once. Times do not go back: an event with an earlier time than the one before is written
/// with that of the one before.
public protocol TraceSink: AnyObject {
    /// Writes the header.
    func write(_ header: TraceHeader) throws(DeviceError)

    /// Writes an event. One without a time has that of the event before.
    func write(_ event: TraceEvent) throws(DeviceError)
}

/// Makes a trace in memory.
///
/// ```swift
/// let builder = TraceBuilder(name: "walk.gpx")
/// try builder.write(TraceHeader(start: start))
/// try builder.write(TraceEvent(time: 0, .gpsd(line)))
/// let trace = try builder.file()
/// ```
///
/// What is beyond 32 MiB goes to a file without a name in `$TMPDIR`, else in /var/tmp.
public final class TraceBuilder: TraceSink {
    /// The most bytes in memory.
    private static let largestInMemory = 32 << 20

    /// What the trace is called in messages.
    public let name: String
    private let limit: Int
    private let largestInMemory: Int
    private var lines = TraceEventLines()
    private var hasHeader = false
    private var bytes: [UInt8] = []
    /// What came before those bytes, when it was much.
    private var spilled: SpillFile?

    /// An empty trace.
    ///
    /// - Parameter name: what to call it in messages.
    public convenience init(name: String) { self.init(name: name, limit: Int.bitWidth > 32 ? .max : 1 << 28) }

    /// - Parameters:
    ///   - limit: The most bytes.
    ///   - largestInMemory: How many of them may be in memory.
    init(name: String, limit: Int, largestInMemory: Int = TraceBuilder.largestInMemory) {
        self.name = name
        self.limit = limit
        self.largestInMemory = largestInMemory
    }

    /// Writes the header, which comes first and only once.
    public func write(_ header: TraceHeader) throws(DeviceError) {
        guard !hasHeader else {
            throw DeviceError(.invalidTrace, "The trace \(name) has a header already; a trace has one.")
        }
        hasHeader = true
        bytes = header.line()
        bytes.append(UInt8(ascii: "\n"))
    }

    /// Adds an event. The error says that the trace has become too large, or that there is no space for it.
    public func write(_ event: TraceEvent) throws(DeviceError) {
        guard hasHeader else {
            throw DeviceError(.invalidTrace, "The trace \(name) has no header yet; write that first.")
        }
        lines.append(event, to: &bytes)
        guard (spilled?.count ?? 0) <= limit - bytes.count else {
            throw DeviceError(
                .notSupported,
                "As a trace, \(name) is larger than \(limit) bytes. Convert it to a trace file, or cut it in parts.")
        }
        if bytes.count >= largestInMemory { try spill() }
    }

    private func spill() throws(DeviceError) {
        if spilled == nil { spilled = try SpillFile() }
        try spilled?.append(bytes)
        bytes.removeAll(keepingCapacity: true)
    }

    /// The trace so far.
    public func file() throws(DeviceError) -> TraceFile {
        guard let spilled else { return try TraceFile(bytes: bytes, name: name) }
        try spill()
        return try TraceFile(contents: try spilled.bytes(), name: name)
    }
}
