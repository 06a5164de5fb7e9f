// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import GPSDProtocol
import NMEAFormat
import Trace
import TraceEditing

/// Turns the events of a trace into sentences.
struct NMEAExport {
    /// The most directions that wait for a position to be complete.
    private static let maximumAttitudes = 1000

    /// What is ready to be written.
    var sentences: [UInt8] = []

    private let options: ExportOptions
    private let start: WallTime?
    private var decoder = GPSDDecoder()
    private var assembler: EpochAssembler
    /// What came behind the position that waits.
    private var attitudes: [(report: AttitudeReport, arrival: Int64?)] = []

    private var positions = 0
    private var withoutHeight = 0
    private var leftOut = LeftOut()
    private var damage = ReportDamage()

    init(_ trace: TraceFile, _ options: ExportOptions) {
        var options = options
        if trace.header?.hasPhoneAccuracies == true { options.nmea.confidence = .sixtyEight }
        self.options = options
        start = trace.start
        assembler = EpochAssembler(start: trace.start, receiver: options.receiver, includesMissing: true)
        leftOut.add(batteryOf: trace.header)
    }

    /// - Parameter number: that of the record's line.
    mutating func take(_ record: TraceRecord, _ bytes: UnsafeRawBufferPointer, line number: Int) {
        switch record.kind {
        case .gpsd:
            let line = UnsafeRawBufferPointer(rebasing: bytes[record.range])
            let report = decoder.decode(line)
            damage.record(report, decoder, bytes: line, line: number)
            take(report, at: record.time)
        case .lost:
            finish()
            leftOut.add(record.kind)
        case .regained: break
        case .gpsdText where record.isDamagedReport(in: bytes):
            damage.record(text: record.line(in: bytes), &decoder, line: number)
        case .gpsdText, .sample, .battery, .sensorLost, .sensorRegained, .accessory, .beacon: leftOut.add(record.kind)
        }
    }

    mutating func finish() { write(assembler.interrupt()) }

    private mutating func take(_ report: GPSDReport, at arrival: Int64?) {
        switch report {
        case .position(let report): write(assembler.take(report, at: arrival))
        case .sky(let report): assembler.take(report, at: arrival)
        case .attitude(let report):
            // A compass may be a device of its own: it is left out only where one receiver was asked for.
            guard options.receiver == nil || assembler.isOurs(report.receiver) else {
                leftOut.add(.attitudes)
                return
            }
            // Behind the position, which may not be complete yet.
            if assembler.hasPending, attitudes.count < Self.maximumAttitudes {
                attitudes.append((report, arrival))
            } else {
                write(assembler.takePending())
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
            withoutHeight += 1
        }
        positions += 1
        var format = options.nmea
        if !epoch.hasNewSatellites { format.sentences.remove(.gsv) }
        write(NMEAEncoder.sentences(report, sky: epoch.sky, options: format), at: epoch.arrival)
        for (report, arrival) in attitudes {
            write(NMEAEncoder.sentences(report, options: options.nmea), at: arrival)
        }
        attitudes.removeAll(keepingCapacity: true)
    }

    private mutating func write(_ lines: [[UInt8]], at arrival: Int64?) {
        var tag: [UInt8] = []
        if options.hasStamps, let start, let arrival {
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
        var remarks = options.isDamageKnown ? [] : damage.remarks
        if positions == 0 { remarks.append("The trace holds no positions: there are no sentences about any.") }
        remarks.tell(
            assembler.others,
            "positions of other receivers were left out: a log is of one. --receiver names another one."
        )
        remarks.tell(assembler.implausible, EpochAssembler.implausibleText)
        remarks.tell(
            withoutHeight,
            "positions have no altitude: sentences have it above mean sea level, and the trace above the ellipsoid only."
        )
        remarks += leftOut.remarks()
        if options.hasStamps, start == nil {
            remarks.append("There are no times of arrival, as the trace does not say when it began.")
        }
        return remarks
    }
}

extension RecordingFormat {
    /// What a receiver sends: positions, satellites and directions as sentences of NMEA 0183 with CR LF.
    ///
    /// Of several reports of one epoch the last is written, and of several receivers that with the first fix. A position
    /// without a time of its own has that of its arrival. With stamps a tag block with the time of arrival, in
    /// milliseconds, stands in front of each sentence.
    public static let nmea = RecordingFormat(
        name: "nmea", title: "NMEA 0183", endings: [".nmea"], hasOneReceiver: true, hasStamps: true, isTriedLast: true,
        tellsDamage: true, sniff: sniff, read: read, writer: write)

    private static func sniff(_ input: RecordingInput) throws(DeviceError) -> Likeness? {
        // In a file with both, as gpsd keeps them for its tests, the reports are what gpsd made of the sentences.
        guard input.folder == nil, case .failure = input.trace else { return nil }
        return try input.contents().withUnsafeBytes { NMEALogSurvey.isLog($0) } ? .certain : nil
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
        var isAtEnd = gather(trace, &export, &cursor)
        guard !export.sentences.isEmpty else {
            let hint = options.receiver.map { " of the receiver \($0)" } ?? ""
            throw DeviceError(
                .invalidTrace,
                "\(trace.name) holds neither positions nor attitudes\(hint), so there is nothing to write.")
        }
        var file = try ExportFile(path: path, options)
        while !export.sentences.isEmpty {
            file.bytes.append(contentsOf: export.sentences)
            export.sentences.removeAll(keepingCapacity: true)
            try file.flush()
            if !isAtEnd { isAtEnd = gather(trace, &export, &cursor) }
        }
        try file.close()
        return export.remarks + cursor.diagnostics.remarks
    }

    /// Makes sentences of the next events; true when those were the last ones.
    private static func gather(_ trace: TraceFile, _ export: inout NMEAExport, _ cursor: inout TraceCursor) -> Bool {
        trace.bytes.withUnsafeBytes { bytes in
            while export.sentences.count < 1 << 16 {
                guard let record = cursor.next(bytes) else {
                    export.finish()
                    return true
                }
                export.take(record, bytes, line: cursor.line)
            }
            return false
        }
    }
}
