// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import GPSDProtocol
import NMEAFormat
import Trace
import TraceEditing

/// Converts trace events to NMEA 0183 sentences.
struct NMEAExport {
    /// The maximum number of attitudes that are buffered until the pending position is complete.
    private static let maximumAttitudes = 1000
    var sentences: [UInt8] = []
    private let options: ExportOptions
    private let start: WallTime?
    private var decoder = GPSDDecoder()
    private var assembler: EpochAssembler
    /// The attitudes that arrived after the pending position. Empty if no position is pending.
    private var attitudes: [(report: AttitudeReport, arrival: Int64?)] = []
    private var positions = 0
    private var positionsWithoutAltitude = 0
    private var skippedContent = SkippedContent()
    private var damage = ReportDiagnostics()

    init(_ trace: TraceFile, _ options: ExportOptions) {
        var options = options
        // Phones report errors at the 68 % confidence level. The export needs this level to compute the standard
        // deviations in GST sentences.
        if trace.header?.hasPhoneAccuracies == true { options.nmea.confidence = .sixtyEight }
        self.options = options
        start = trace.start
        assembler = EpochAssembler(start: trace.start, receiver: options.receiver, includesMissing: true)
        skippedContent.add(batteryOf: trace.header)
    }

    mutating func process(_ record: TraceRecord, _ bytes: UnsafeRawBufferPointer, line number: Int) {
        switch record.kind {
        case .gpsd:
            let line = UnsafeRawBufferPointer(rebasing: bytes[record.range])
            let report = decoder.decode(line)
            damage.record(report, decoder, bytes: line, line: number)
            process(report, at: record.time)
        case .lost:
            writePending()
            skippedContent.add(record.kind)
        case .gpsdText where record.isDamagedReport(in: bytes):
            damage.record(text: record.line(in: bytes), &decoder, line: number)
        case .gpsdText, .sample, .battery, .regained, .sensorLost, .sensorRegained, .accessory, .beacon:
            skippedContent.add(record.kind)
        }
    }

    /// Writes the pending position when the source is lost or the trace ends.
    private mutating func writePending() { write(assembler.interrupt()) }

    /// Converts events until about 64 KiB of sentences are available. Returns true at the end of the trace.
    mutating func encodeNextEvents(_ trace: TraceFile, _ cursor: inout TraceCursor) -> Bool {
        trace.bytes.withUnsafeBytes { bytes in
            while sentences.count < 1 << 16 {
                guard let record = cursor.next(bytes) else {
                    writePending()
                    return true
                }
                process(record, bytes, line: cursor.line)
            }
            return false
        }
    }

    private mutating func process(_ report: GPSDReport, at arrival: Int64?) {
        switch report {
        case .position(let report): write(assembler.process(report, at: arrival))
        case .sky(let report): assembler.process(report, at: arrival)
        case .attitude(let report):
            // A compass may be a separate device, so the attitudes of all devices are written unless a receiver was
            // selected.
            guard options.receiver == nil || assembler.isSelected(receiver: report.receiver) else {
                skippedContent.add(.attitudes)
                return
            }
            // Attitudes are written after the position. While the position is pending, they are buffered.
            if assembler.hasPending, attitudes.count < Self.maximumAttitudes {
                attitudes.append((report, arrival))
            } else {
                write(assembler.removePending())
                write(NMEAEncoder.sentences(report, options: options.nmea), at: arrival)
            }
        default: break
        }
    }

    private mutating func write(_ epoch: EpochAssembler.Epoch?) {
        guard let epoch else { return }
        var report = epoch.report
        report.time = epoch.time
        if report.hasFix, report.altitudeMSL.isNaN, !report.altitudeHAE.isNaN, report.geoidSeparation.isNaN {
            positionsWithoutAltitude += 1
        }
        positions += 1
        var format = options.nmea
        if !epoch.hasNewSatellites { format.sentences.remove(.gsv) }
        write(NMEAEncoder.sentences(report, sky: epoch.sky, options: format), at: epoch.arrival)
        for (report, arrival) in attitudes { write(NMEAEncoder.sentences(report, options: options.nmea), at: arrival) }
        attitudes.removeAll(keepingCapacity: true)
    }

    private mutating func write(_ lines: [[UInt8]], at arrival: Int64?) {
        var tag: [UInt8] = []
        if options.includesArrivalTimes, let start, let arrival {
            let milliseconds = start.nanoseconds.addingSaturated(arrival) / 1_000_000
            tag = NMEAEncoder.tagBlock(time: milliseconds)
        }
        for line in lines {
            sentences.append(contentsOf: tag)
            sentences.append(contentsOf: line)
            sentences.append(contentsOf: [0x0d, 0x0a])
        }
    }

    var remarks: [String] {
        var remarks = options.isDamageReported ? [] : damage.remarks
        if positions == 0 { remarks.append("The trace contains no positions, so no position sentences were written.") }
        remarks.appendRemark(
            count: assembler.otherReceiverFixCount,
            "positions of other receivers were omitted, because a log contains one receiver. Select another receiver with --receiver."
        )
        remarks.appendRemark(count: assembler.implausibleReportCount, EpochAssembler.implausibleText)
        remarks.appendRemark(
            count: positionsWithoutAltitude,
            "positions have no altitude, because sentences require it above mean sea level and the trace contains it only above the ellipsoid."
        )
        remarks += skippedContent.remarks()
        if options.includesArrivalTimes, start == nil {
            remarks.append("Arrival times were not written, because the trace does not contain its start time.")
        }
        return remarks
    }
}

extension RecordingFormat {
    /// Positions and satellites of one receiver, and attitudes, as NMEA 0183 sentences that end with CR LF.
    ///
    /// By default, the receiver that reports the first fix is used, and the attitudes of all devices are written. A
    /// position without a time is written with its arrival time. If ``ExportOptions/includesArrivalTimes`` is true, a
    /// tag block with the arrival time in milliseconds precedes each sentence.
    public static let nmea = RecordingFormat(
        name: "nmea", title: "NMEA 0183", fileExtensions: [".nmea"], supportsReceiverSelection: true,
        supportsArrivalTimes: true, isTriedLast: true, reportsDamage: true, detect: sniff, read: read, writer: write)

    private static func sniff(_ input: RecordingInput) throws(DeviceError) -> DetectionConfidence? {
        // gpsd's test files contain both NMEA sentences and the reports that gpsd derived from them. Such a file is
        // read as gpsd reports, not as an NMEA log. Because `input.trace` reads the whole file, `isTriedLast` is true.
        guard input.folder == nil, case .failure = input.trace else { return nil }
        return try input.contents().withUnsafeBytes { NMEALogSummary.isLog($0) } ? .certain : nil
    }

    private static func read(
        _ input: RecordingInput, _ options: RecordingOptions
    ) throws(DeviceError) -> RecordingContents {
        let builder = TraceBuilder(name: input.name)
        let remarks = try NMEALog.read(
            contents: try input.contents(), name: input.name, options: options.nmea, to: builder)
        return .trace(try builder.file(), remarks: remarks)
    }

    private static func write(
        _ trace: TraceFile, to path: String, options: ExportOptions
    ) throws(DeviceError) -> [String] {
        var export = NMEAExport(trace, options)
        var cursor = TraceCursor(trace)
        var isAtEnd = export.encodeNextEvents(trace, &cursor)
        guard !export.sentences.isEmpty else {
            let hint = options.receiver.map { " of the receiver \($0)" } ?? ""
            throw .invalidTrace(
                "\(trace.name) contains neither positions nor attitudes\(hint), so there is nothing to write.")
        }
        var file = try ExportFile(path: path, options)
        while !export.sentences.isEmpty {
            file.bytes.append(contentsOf: export.sentences)
            export.sentences.removeAll(keepingCapacity: true)
            try file.flush()
            if !isAtEnd { isAtEnd = export.encodeNextEvents(trace, &cursor) }
        }
        try file.close()
        return export.remarks + cursor.diagnostics.remarks
    }
}
