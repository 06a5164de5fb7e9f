// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Trace

/// A cursor over the records of a trace and their decoded positions. It reads both in blocks.
struct TraceBlockCursor {
    private var reader: TraceReader
    private var block = TraceBlock()
    /// The index of the next record in the block, and the index of the next decoded position.
    private var nextRecord = 0
    private var nextPosition = 0
    /// `formerWarnings` holds the warnings from earlier blocks, and `warnedLine` the line number of the last one.
    private var formerWarnings: [TraceWarning] = []
    private var warnedLine = 0
    /// True if no more records will be played, in which case `warnings` includes all of the block's warnings.
    var isAtEnd = false

    init(_ reader: TraceReader) { self.reader = reader }

    /// Restarts with a reader at the first record. The warnings so far are kept.
    mutating func restart(_ reader: TraceReader) {
        saveWarnings()
        self.reader = reader
        (block, nextRecord, nextPosition, isAtEnd) = (TraceBlock(), 0, 0, false)
    }

    var warnings: [TraceWarning] {
        let warnings = block.warnings.prefix { isAtEnd || $0.record < nextRecord }.map(\.warning)
        return formerWarnings + warnings.filter { $0.line > warnedLine }
    }

    /// Returns false if no records are left. Reads the next block if necessary.
    @inline(__always)
    mutating func hasRecord() -> Bool { nextRecord < block.records.count || nextBlock() }

    /// The next record. `hasRecord()` must have returned true.
    @inline(__always)
    var next: TraceRecord { block.records[nextRecord] }

    @inline(__always)
    mutating func consumeRecord() { nextRecord += 1 }

    /// Returns the next sample if it arrived together with `first`, but does not consume it.
    @inline(__always)
    mutating func nextSample(with first: TraceRecord) -> TraceSample? {
        guard hasRecord(), next.time == first.time, next.sensor == first.sensor else { return nil }
        return next.sample
    }

    /// Sets `position` to the decoded position of the next record. Returns false if the reader has not decoded the
    /// record in advance, or if the position has already been taken.
    mutating func takePosition(into position: inout PositionReport) -> Bool {
        while nextPosition < block.positionCount, block.positions[nextPosition].record < nextRecord {
            nextPosition += 1
        }
        guard nextPosition < block.positionCount, block.positions[nextPosition].record == nextRecord
        else { return false }
        // Swapping lets the block reuse the memory of the previous position.
        swap(&position, &block.positions[nextPosition].report)
        nextPosition += 1
        return true
    }

    @inline(never)
    private mutating func nextBlock() -> Bool {
        while !block.isLast {
            saveWarnings()
            // Swapping out the old block leaves it uniquely referenced, so the reader can reuse its memory.
            block = reader.next(after: exchange(&block, with: TraceBlock()))
            (nextRecord, nextPosition) = (0, 0)
            if !block.records.isEmpty { return true }
        }
        return false
    }

    /// Saves the current block's warnings, so that reading the file again does not repeat them.
    private mutating func saveWarnings() {
        formerWarnings = warnings
        warnedLine = max(warnedLine, formerWarnings.last?.line ?? 0)
    }
}
