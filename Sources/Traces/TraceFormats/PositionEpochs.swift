// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import GPSDProtocol
import Trace
import TraceEditing

/// Goes through the positions of a trace, one for each epoch of one receiver.
///
/// A copy is a bookmark. The bytes of the trace stay in place for as long as it is read.
struct PositionEpochs {
    typealias Epoch = EpochAssembler.Epoch

    /// What is no position, but for losses, which end a segment. Satellites and dilutions count as well as they are given.
    private(set) var leftOut = LeftOut()
    /// Knows the receiver, and what was passed over.
    private(set) var assembler: EpochAssembler
    private var cursor: TraceCursor
    private var decoder = GPSDDecoder()
    /// The reports that could not be read as they should.
    private(set) var damage = ReportDamage()
    private var isAtEnd = false

    /// - Parameter receiver: The receiver's path; nil for that of the first fix.
    init(_ trace: TraceFile, receiver: String? = nil) {
        cursor = TraceCursor(trace)
        assembler = EpochAssembler(start: trace.start, receiver: receiver)
        leftOut.add(batteryOf: trace.header)
    }

    /// The lines of the trace that could not be read in full.
    var diagnostics: InputDiagnostics { cursor.diagnostics }

    /// The next position with a fix; nil at the end.
    ///
    /// - Parameter bytes: the bytes of the trace.
    mutating func next(_ bytes: UnsafeRawBufferPointer) -> Epoch? {
        while !isAtEnd {
            guard let record = cursor.next(bytes) else {
                isAtEnd = true
                break
            }
            var finished: Epoch?
            switch record.kind {
            case .gpsd: finished = take(record, bytes)
            case .lost: finished = assembler.interrupt()
            case .regained: break
            case .gpsdText where record.isDamagedReport(in: bytes):
                damage.record(text: record.line(in: bytes), &decoder, line: cursor.line)
            case .gpsdText, .sample, .battery, .sensorLost, .sensorRegained, .accessory, .beacon:
                leftOut.add(record.kind)
            }
            if let finished { return finished }
        }
        return assembler.takePending()
    }

    /// Takes a report, and returns the position that it ends.
    private mutating func take(_ record: TraceRecord, _ bytes: UnsafeRawBufferPointer) -> Epoch? {
        var report = PositionReport()
        let line = UnsafeRawBufferPointer(rebasing: bytes[record.range])
        let other = decoder.decode(line, position: &report)
        damage.record(other, decoder, bytes: line, line: cursor.line)
        switch other {
        case nil: return assembler.take(report, at: record.time)
        case .attitude?:
            leftOut.add(.attitudes)
            return nil
        case .sky(let found)?:
            leftOut.add(.skies)
            assembler.take(found, at: record.time)
            return nil
        default: return nil
        }
    }
}
