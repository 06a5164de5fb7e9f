// SPDX-License-Identifier: Apache-2.0

public import DeviceCore
public import Trace

/// Logs of what a receiver sends: the sentences of NMEA 0183, among comments and anything else.
public enum NMEALog {
    /// Reads a log and writes it as a trace: a header, and gpsd's reports.
    ///
    /// With the times of arrival beside the sentences (gpspipe's forms, tag blocks) events have those times. Otherwise they
    /// follow the receiver's clock: as far as it goes forward up to a day at a time, and standing where it goes back. Gaps
    /// are kept.
    ///
    /// - Parameters:
    ///   - bytes: the whole file.
    ///   - name: what to call it in messages.
    ///   - options: what the log does not say of itself.
    ///   - sink: where the trace is written.
    /// - Returns: remarks on what was left out or is doubtful.
    public static func read(
        _ bytes: [UInt8], name: String, options: NMEALogOptions = .init(), to sink: some TraceSink
    ) throws(DeviceError) -> [String] {
        try read(contents: TraceBytes(bytes), name: name, options: options, to: sink)
    }

    /// The same of bytes that may lie in a file, which takes little memory however long it is.
    public static func read(
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
        let survey = NMEALogSurvey(bytes, options, contents)
        guard survey.isLog else {
            throw DeviceError(
                .invalidTrace,
                "\(name) holds no sentence of NMEA 0183 with a right checksum, such as $GPRMC,…*5A. Record what the receiver sends: gpspipe -r."
            )
        }
        var log = NMEALogImport(name, survey, options)
        try sink.write(log.header)
        var lines = NMEALogLines(bytes, of: contents)
        while let line = lines.next() {
            try log.take(line, number: lines.line, sink)
        }
        if contents.isCutOff { throw DeviceError.becameShorter(name) }
        try log.finish(sink)
        return log.remarks + (isCutOff(bytes) ? ["The last line ends in the middle and was left out."] : [])
    }

    /// True when the last line has no end, and nothing by which its sentence would count as broken: it ends in a tag block,
    /// or in a report of gpsd.
    private static func isCutOff(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let line = bytes.suffix(1 << 16).split(whereSeparator: { $0 == 0x0a || $0 == 0x0d }).last
        guard let line, line.endIndex == bytes.endIndex else { return false }
        return line.first == UInt8(ascii: "{")
            || line.first == UInt8(ascii: "\\") && !line.contains { $0 == UInt8(ascii: "$") || $0 == UInt8(ascii: "!") }
    }
}

/// What a program knows about an NMEA log.
public struct NMEALogOptions: Sendable, Hashable {
    /// The day on which it begins, as any instant of it, for logs that say no date. RMC and ZDA count more, gpsd's
    /// comment `# Date: 2026-11-21` counts less.
    public var date: WallTime?
    /// By how many weeks its dates are early. Receivers that have counted 1024 weeks begin again: 1024 mends their dates.
    public var weeks = 0
    /// True to take sentences without a checksum, false to leave them out; nil takes them when none has one.
    public var allowsMissingChecksum: Bool?
    /// True to work out speed and course when the log has no sentence for them (neither RMC nor VTG).
    public var derivesMotion = true

    /// Options that leave everything to the log.
    public init() {}
}
