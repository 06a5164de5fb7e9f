// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import GPSDProtocol
import NMEAFormat
import Trace

/// Turns the events of a trace into sentences.
struct NMEAExport {
    /// The most directions that wait for a position to be complete.
    private static let maximumAttitudes = 1000

    /// What is ready to be written.
    var sentences: [UInt8] = []

    private let options: NMEAExportOptions
    private let start: WallTime?
    private var decoder = GPSDDecoder()
    private var assembler: EpochAssembler
    /// What came behind the position that waits.
    private var attitudes: [(report: AttitudeReport, arrival: Int64?)] = []

    private var positions = 0
    private var withoutHeight = 0
    private var leftOut = LeftOut()

    init(_ trace: TraceFile, _ options: NMEAExportOptions) {
        var options = options
        if trace.header?.hasPhoneAccuracies == true { options.format.confidence = .sixtyEight }
        self.options = options
        start = trace.start
        assembler = EpochAssembler(start: trace.start, receiver: options.receiver, includesMissing: true)
        leftOut.add(batteryOf: trace.header)
    }

    mutating func take(_ record: TraceRecord, _ bytes: UnsafeRawBufferPointer) {
        switch record.kind {
        case .gpsd: take(report: UnsafeRawBufferPointer(rebasing: bytes[record.range]), at: record.time)
        case .lost:
            finish()
            leftOut.add(record.kind)
        case .regained: break
        case .gpsdText, .sample, .battery, .sensorLost, .sensorRegained, .accessory: leftOut.add(record.kind)
        }
    }

    mutating func finish() { write(assembler.interrupt()) }

    private mutating func take(report line: UnsafeRawBufferPointer, at arrival: Int64?) {
        switch decoder.decode(line) {
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
                write(NMEAEncoder.sentences(report, options: options.format), at: arrival)
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
        var format = options.format
        if !epoch.hasNewSatellites { format.sentences.remove(.gsv) }
        write(NMEAEncoder.sentences(report, sky: epoch.sky, options: format), at: epoch.arrival)
        for (report, arrival) in attitudes {
            write(NMEAEncoder.sentences(report, options: options.format), at: arrival)
        }
        attitudes.removeAll(keepingCapacity: true)
    }

    private mutating func write(_ lines: [[UInt8]], at arrival: Int64?) {
        var tag: [UInt8] = []
        if options.stampsArrivals, let start, let arrival {
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
        var remarks: [String] = []
        if positions == 0 { remarks.append("The trace holds no positions: there are no sentences about any.") }
        if assembler.others > 0 {
            remarks.append(
                "\(assembler.others) positions of other receivers were left out: a log is of one. --receiver names another one."
            )
        }
        if assembler.implausible > 0 { remarks.append(EpochAssembler.remark(implausible: assembler.implausible)) }
        if withoutHeight > 0 {
            remarks.append(
                "\(withoutHeight) positions have no altitude: sentences have it above mean sea level, and the trace above the ellipsoid only."
            )
        }
        remarks += leftOut.remarks()
        if options.stampsArrivals, start == nil {
            remarks.append("There are no times of arrival, as the trace does not say when it began.")
        }
        return remarks
    }
}
