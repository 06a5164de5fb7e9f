// SPDX-License-Identifier: Apache-2.0

public import DeviceCore
package import Trace

/// Reads logs of a receiver's output. A log contains NMEA 0183 sentences, possibly mixed with comments and other text.
package enum NMEALog {
    /// Reads a log and writes it as a trace that consists of a header and gpsd reports.
    ///
    /// Arrival times in the log (in gpspipe's formats or in tag blocks) become the event times. Without arrival times,
    /// the event times follow the receiver's clock. If that clock is set back or jumps forward by more than a day, the
    /// trace time does not advance. Shorter gaps are preserved.
    ///
    /// - Returns: Remarks about omitted or questionable content.
    package static func read(
        _ bytes: [UInt8], name: String, options: NMEALogOptions = .init(), to sink: some TraceSink
    ) throws(DeviceError) -> [String] { try read(contents: TraceBytes(bytes), name: name, options: options, to: sink) }

    /// Reads a log and writes it as a trace. If the log is a mapped file, memory use does not depend on its length.
    package static func read(
        contents: TraceBytes, name: String, options: NMEALogOptions = .init(), to sink: some TraceSink
    ) throws(DeviceError) -> [String] {
        try contents.withUnsafeBytes { (bytes) throws(DeviceError) in try read(bytes, contents, name, options, sink) }
    }

    private static func read(
        _ bytes: UnsafeRawBufferPointer, _ contents: TraceBytes, _ name: String, _ options: NMEALogOptions,
        _ sink: some TraceSink
    ) throws(DeviceError) -> [String] {
        let summary = NMEALogSummary(bytes, options, contents)
        guard summary.isLog else {
            throw .invalidTrace(
                "\(name) contains no NMEA 0183 sentence with a valid checksum, such as $GPRMC,…*5A. Record the output of the receiver with gpspipe -r."
            )
        }
        var log = NMEALogImport(name, summary, options)
        try sink.write(log.header)
        var lines = NMEALogLines(bytes, of: contents)
        while let line = lines.next() { try log.process(line, number: lines.line, sink) }
        if contents.isTruncated { throw DeviceError.truncatedWhileReading(name) }
        try log.finish(sink)
        return log.remarks + (isTruncated(bytes) ? ["The last line is incomplete and was skipped."] : [])
    }

    /// Returns true if the last line is truncated within a tag block or a gpsd report.
    private static func isTruncated(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let line = bytes.suffix(1 << 16).split(whereSeparator: { $0 == 0x0a || $0 == 0x0d }).last
        guard let line, line.endIndex == bytes.endIndex else { return false }
        return line.first == UInt8(ascii: "{")
            || line.first == UInt8(ascii: "\\") && !line.contains { $0 == UInt8(ascii: "$") || $0 == UInt8(ascii: "!") }
    }
}

/// Options for reading an NMEA log.
public struct NMEALogOptions: Sendable, Hashable {
    /// The date on which the log begins, given as any time on that day. Used only if no RMC or ZDA sentence contains a
    /// date. If nil, the date is taken from a comment in gpsd's format, such as `# Date: 2026-11-21`.
    public var date: WallTime?
    /// The number of weeks to add to the receiver's dates. Use 1024 if the dates are about 20 years too early because
    /// of a GPS week number rollover.
    public var weeks = 0
    /// True if sentences without a checksum are accepted. If nil, they are accepted only if no sentence in the log has
    /// a checksum.
    public var allowsMissingChecksum: Bool?
    /// True if speed and course are derived from the positions of a log that contains neither RMC nor VTG sentences.
    public var derivesMotion = true

    /// Creates the default options, which take all information from the log.
    public init() {}
}
