// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import GPSDProtocol
import Trace
import TraceEditing

/// Iterates over the positions of one receiver in a trace. Copies iterate independently. The bytes of the trace must
/// stay at the same address during the iteration.
struct PositionEpochs {
    typealias Epoch = EpochAssembler.Epoch

    /// The number of events that are not positions, by kind. A loss of the source is not counted, because it is
    /// exported as the end of a segment, unless reports without a fix are included.
    private(set) var skippedContent = SkippedContent()
    /// Selects the receiver and counts omitted positions.
    private(set) var assembler: EpochAssembler
    private var cursor: TraceCursor
    private var decoder = GPSDDecoder()
    private(set) var damage = ReportDiagnostics()
    private let includesMissing: Bool
    private var isAtEnd = false

    /// - Parameter includesMissing: True to also return reports without a fix, and to count losses of the source.
    init(_ trace: TraceFile, receiver: String? = nil, includesMissing: Bool = false) {
        cursor = TraceCursor(trace)
        self.includesMissing = includesMissing
        assembler = EpochAssembler(start: trace.start, receiver: receiver, includesMissing: includesMissing)
        skippedContent.add(batteryOf: trace.header)
    }

    var diagnostics: InputDiagnostics { cursor.diagnostics }

    mutating func next(_ bytes: UnsafeRawBufferPointer) -> Epoch? {
        while !isAtEnd {
            guard let record = cursor.next(bytes) else {
                isAtEnd = true
                break
            }
            var finished: Epoch?
            switch record.kind {
            case .gpsd: finished = process(record, bytes)
            case .lost, .regained:
                if includesMissing { skippedContent.add(record.kind) }
                if record.kind == .lost { finished = assembler.interrupt() }
            case .gpsdText where record.isDamagedReport(in: bytes):
                damage.record(text: record.line(in: bytes), &decoder, line: cursor.line)
            case .gpsdText, .sample, .battery, .sensorLost, .sensorRegained, .accessory, .beacon:
                skippedContent.add(record.kind)
            }
            if let finished { return finished }
        }
        return assembler.removePending()
    }

    private mutating func process(_ record: TraceRecord, _ bytes: UnsafeRawBufferPointer) -> Epoch? {
        var report = PositionReport()
        let line = UnsafeRawBufferPointer(rebasing: bytes[record.range])
        let other = decoder.decode(line, position: &report)
        damage.record(other, decoder, bytes: line, line: cursor.line)
        switch other {
        case nil: return assembler.process(report, at: record.time)
        case .attitude?:
            skippedContent.add(.attitudes)
            return nil
        case .sky(let found)?:
            skippedContent.add(.skies)
            assembler.process(found, at: record.time)
            return nil
        default: return nil
        }
    }
}
