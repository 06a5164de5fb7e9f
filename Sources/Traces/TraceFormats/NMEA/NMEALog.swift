// SPDX-License-Identifier: Apache-2.0

public import DeviceCore
public import Trace

/// Logs of a receiver's output: NMEA 0183 sentences, among comments and other text.
public enum NMEALog {
    /// Reads a log and writes it as a trace: a header and gpsd's reports.
    ///
    /// If the sentences have arrival times (in gpspipe's formats or tag blocks), events have these times. Otherwise
    /// they follow the receiver's clock. The time of the trace does not advance where the clock is set back, or jumps
    /// forward by more than a day. Shorter gaps are kept.
    ///
    /// - Parameters:
    ///   - bytes: The contents of the log.
    ///   - name: The name of the log in messages.
    ///   - options: Information that the log does not contain.
    ///   - sink: The destination of the trace.
    /// - Returns: Remarks about omitted or doubtful content.
    public static func read(
        _ bytes: [UInt8], name: String, options: NMEALogOptions = .init(), to sink: some TraceSink
    ) throws(DeviceError) -> [String] {
        try read(contents: TraceBytes(bytes), name: name, options: options, to: sink)
    }

    /// Reads a log and writes it as a trace. Memory use for a mapped file does not depend on its length.
    package static func read(
        contents: TraceBytes, name: String, options: NMEALogOptions = .init(), to sink: some TraceSink
    ) throws(DeviceError) -> [String] {
        try contents.withUnsafeBytes { (bytes) throws(DeviceError) in
            try read(bytes, contents, name, options, sink)
        }
    }

    private static func read(
        _ bytes: UnsafeRawBufferPointer, _ contents: TraceBytes, _ name: String, _ options: NMEALogOptions,
        _ sink: some TraceSink
    ) throws(DeviceError) -> [String] {
        let survey = NMEALogSummary(bytes, options, contents)
        guard survey.isLog else {
            throw DeviceError(
                .invalidTrace,
                "\(name) contains no NMEA 0183 sentence with a valid checksum, such as $GPRMC,…*5A. Record the output of the receiver with gpspipe -r."
            )
        }
        var log = NMEALogImport(name, survey, options)
        try sink.write(log.header)
        var lines = NMEALogLines(bytes, of: contents)
        while let line = lines.next() {
            try log.process(line, number: lines.line, sink)
        }
        if contents.isTruncated { throw DeviceError.truncatedWhileReading(name) }
        try log.finish(sink)
        return log.remarks + (isTruncated(bytes) ? ["The last line is incomplete and was skipped."] : [])
    }

    /// True if the last line has no line end and its truncation would not be reported otherwise: it ends within a tag
    /// block or a report of gpsd.
    private static func isTruncated(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let line = bytes.suffix(1 << 16).split(whereSeparator: { $0 == 0x0a || $0 == 0x0d }).last
        guard let line, line.endIndex == bytes.endIndex else { return false }
        return line.first == UInt8(ascii: "{")
            || line.first == UInt8(ascii: "\\") && !line.contains { $0 == UInt8(ascii: "$") || $0 == UInt8(ascii: "!") }
    }
}

/// Options for reading an NMEA log.
public struct NMEALogOptions: Sendable, Hashable {
    /// Any time on the day on which the log begins, for logs without a date. A date in RMC or ZDA sentences has
    /// precedence; gpsd's comment `# Date: 2026-11-21` is used only if this is nil.
    public var date: WallTime?
    /// The number of weeks to add to the receiver's dates. 1024 corrects the dates of a receiver after a GPS week
    /// number rollover.
    public var weeks = 0
    /// True to read sentences without a checksum, false to omit them. nil reads them if no sentence has a checksum.
    public var allowsMissingChecksum: Bool?
    /// True to derive speed and course from positions if the log contains neither RMC nor VTG sentences.
    public var derivesMotion = true

    /// Creates default options: all information is taken from the log.
    public init() {}
}
