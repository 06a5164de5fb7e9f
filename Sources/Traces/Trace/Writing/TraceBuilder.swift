// SPDX-License-Identifier: Apache-2.0

public import DeviceCore

/// A destination for a trace: a file (``TraceWriter``) or memory (``TraceBuilder``).
///
/// The header must be written first, and only once. An event that is earlier than the previous event is written with
/// the previous event's time.
public protocol TraceSink: AnyObject {
    /// Writes the header.
    func write(_ header: TraceHeader) throws(DeviceError)

    /// Writes an event. An event without a time gets the previous event's time.
    func write(_ event: TraceEvent) throws(DeviceError)
}

/// Builds a trace in memory.
///
/// ```swift
/// let builder = TraceBuilder(name: "walk.gpx")
/// try builder.write(TraceHeader(start: start))
/// try builder.write(TraceEvent(time: 0, .gpsd(line)))
/// let trace = try builder.file()
/// ```
///
/// A trace larger than 32 MiB is stored in an unnamed temporary file in `$TMPDIR`, or in /var/tmp if that is unset.
public final class TraceBuilder: TraceSink {
    /// The maximum number of bytes in memory (32 MiB).
    private static let maximumBytesInMemory = 32 << 20
    package let name: String
    private let limit: Int
    private let maximumBytesInMemory: Int
    private var lines = TraceEventEncoder()
    private var hasHeader = false
    private var bytes: [UInt8] = []
    /// The temporary file that contains the first part of the trace, or nil if the whole trace is in memory.
    private var temporaryFile: TemporaryBuffer?

    /// Creates a builder with an empty trace.
    ///
    /// - Parameter name: The name that identifies the trace in messages.
    public convenience init(name: String) { self.init(name: name, limit: Int.bitWidth > 32 ? .max : 1 << 28) }

    /// `limit` is the maximum size of the trace in bytes.
    init(name: String, limit: Int, largestInMemory: Int = TraceBuilder.maximumBytesInMemory) {
        (self.name, self.limit, self.maximumBytesInMemory) = (name, limit, largestInMemory)
    }

    /// Writes the header. Must be called exactly once, before any event is written.
    public func write(_ header: TraceHeader) throws(DeviceError) {
        guard !hasHeader else {
            throw DeviceError(.invalidTrace, "The trace \(name) already has a header. Write it only once.")
        }
        hasHeader = true
        bytes = header.line()
        bytes.append(UInt8(ascii: "\n"))
    }

    /// Appends an event. Throws an error if the trace exceeds the size limit or the file system is full.
    public func write(_ event: TraceEvent) throws(DeviceError) {
        guard hasHeader else {
            throw DeviceError(.invalidTrace, "The trace \(name) has no header. Write the header first.")
        }
        lines.append(event, to: &bytes)
        guard (temporaryFile?.count ?? 0) <= limit - bytes.count else {
            throw DeviceError(
                .notSupported,
                "As a trace, \(name) exceeds \(limit) bytes. Convert it to a trace file, or split it into parts.")
        }
        if bytes.count >= maximumBytesInMemory { try moveToTemporaryFile() }
    }

    private func moveToTemporaryFile() throws(DeviceError) {
        if temporaryFile == nil { temporaryFile = try TemporaryBuffer() }
        try temporaryFile?.append(bytes)
        bytes.removeAll(keepingCapacity: true)
    }

    /// Returns the trace written so far.
    public func file() throws(DeviceError) -> TraceFile {
        guard let temporaryFile else { return try TraceFile(bytes: bytes, name: name) }
        try moveToTemporaryFile()
        return try TraceFile(contents: try temporaryFile.bytes(), name: name)
    }
}
