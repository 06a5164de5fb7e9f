// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Dispatch
import GPSDProtocol
import Synchronization
import SystemCalls
import Trace

/// A reader of trace blocks that reads large traces ahead of the player on a second thread. It also decodes positions.
/// Decoding takes most of the time needed to play a position.
///
/// Only one player requests blocks. The player waits for a block only if the second thread is already reading it. If no
/// thread has begun to read the block, the player reads it itself, so it makes progress even if all threads are busy.
/// Reading ahead affects only when the blocks are read, not their contents.
final class TraceReader: Sendable {
    /// The number of records per block. Reading a block of this size takes about ten times as long as waking a thread.
    private static let blockSize = 1024
    /// The maximum number of positions per block. Positions take more memory and time than other records.
    private static let maximumPositions = 128
    /// The maximum number of blocks to read ahead.
    private static let depth = 4
    /// The minimum file size for reading ahead, in bytes. Reading a smaller file takes less time than starting a
    /// thread.
    private static let minimumReadAheadSize = 1 << 20

    /// The read position. Accessed only by the thread that has set `isReading`.
    private final class ReadPosition: @unchecked Sendable {
        var cursor: TraceCursor
        var warningCount = 0
        /// The decoder, or nil if positions are not played.
        var decoder: GPSDDecoder?

        init(_ file: TraceFile, decodes: Bool) {
            cursor = file.playingCursor
            decoder = decodes ? GPSDDecoder() : nil
        }
    }

    private struct State: Sendable {
        /// Blocks that have been read but not requested, oldest first.
        var ready: [TraceBlock] = []
        /// Used blocks whose memory can be reused.
        var spare: [TraceBlock] = []
        var isReading = false
        /// True while the player is waiting for the block being read.
        var isAwaited = false
        var isDone = false
        /// True if reading ahead has been scheduled on another thread but has not yet started.
        var isReadScheduled = false
    }

    private let file: TraceFile
    private let readPosition: ReadPosition
    private let readsAhead: Bool
    private let state = Mutex(State())
    private let blockReady = DispatchSemaphore(value: 0)

    /// Creates a reader. If `readsAhead` is nil, reading ahead depends on the file size and the number of processors.
    init(_ file: TraceFile, readsAhead: Bool? = nil, decodesPositions: Bool = true) {
        self.file = file
        readPosition = ReadPosition(file, decodes: decodesPositions)
        self.readsAhead =
            readsAhead ?? (file.playedSize >= Self.minimumReadAheadSize && sysconf(Int32(_SC_NPROCESSORS_ONLN)) > 1)
    }

    /// Returns the next block and reuses the memory of `used`.
    func next(after used: consuming TraceBlock) -> TraceBlock {
        var former = used
        // `former` must hold the only reference to the arrays. Otherwise, clearing them would allocate new memory.
        used = TraceBlock()
        former.removeAll()
        while true {
            enum NextStep {
                case deliver(TraceBlock)
                case read
                case wait
            }
            let step = state.withLock { state -> NextStep in
                if !state.ready.isEmpty {
                    state.spare.append(former)
                    return .deliver(state.ready.removeFirst())
                }
                if state.isDone { return .deliver(TraceBlock(isLast: true)) }
                if state.isReading {
                    state.isAwaited = true
                    return .wait
                }
                state.isReading = true
                return .read
            }
            switch step {
            case .deliver(let block):
                readAhead()
                return block
            case .wait: blockReady.wait()
            case .read:
                let block = read(former)
                state.withLock { state in
                    state.isReading = false
                    state.isDone = block.isLast
                }
                readAhead()
                return block
            }
        }
    }

    /// Starts reading on a second thread if few blocks are left.
    private func readAhead() {
        guard readsAhead else { return }
        let begins = state.withLock { state in
            guard !state.isReading, !state.isReadScheduled, !state.isDone, state.ready.count <= Self.depth / 2 else {
                return false
            }
            state.isReadScheduled = true
            return true
        }
        guard begins else { return }
        DispatchQueue.global(qos: .userInitiated).async { [weak self] in self?.fillReadyBlocks() }
    }

    private func fillReadyBlocks() {
        while true {
            let memory = state.withLock { state -> TraceBlock? in
                state.isReadScheduled = false
                guard !state.isReading, !state.isDone, state.ready.count < Self.depth else { return nil }
                state.isReading = true
                return state.spare.popLast() ?? TraceBlock()
            }
            guard let memory else { return }
            let block = read(memory)
            let isAwaited = state.withLock { state in
                state.ready.append(block)
                state.isReading = false
                state.isDone = block.isLast
                return exchange(&state.isAwaited, with: false)
            }
            if isAwaited { blockReady.signal() }
        }
    }

    private func read(_ memory: consuming TraceBlock) -> TraceBlock {
        var block = memory
        block.records.reserveCapacity(Self.blockSize)
        file.withPlayedBytes { bytes in
            Self.fill(&block, &readPosition.cursor, &readPosition.warningCount, &readPosition.decoder, bytes)
        }
        return block
    }

    private static func fill(
        _ block: inout TraceBlock, _ cursor: inout TraceCursor, _ warningCount: inout Int,
        _ decoder: inout GPSDDecoder?, _ bytes: UnsafeRawBufferPointer
    ) {
        while block.records.count < blockSize, block.positionCount < maximumPositions {
            let record = cursor.next(bytes)
            if cursor.warningCount != warningCount {
                let newWarnings = cursor.warnings.dropFirst(min(warningCount, cursor.warnings.count))
                for warning in newWarnings { block.warnings.append((block.records.count, warning)) }
                warningCount = cursor.warningCount
            }
            guard let record else {
                block.isLast = true
                return
            }
            if record.kind == .gpsd, record.isPosition(in: bytes) {
                let line = UnsafeRawBufferPointer(rebasing: bytes[record.range])
                decoder?.decode(line, into: &block)
            }
            block.records.append(record)
        }
    }
}

extension GPSDDecoder {
    fileprivate mutating func decode(_ line: UnsafeRawBufferPointer, into block: inout TraceBlock) {
        let index = block.positionCount
        if index == block.positions.count { block.positions.append(DecodedPosition()) }
        block.positions[index].record = block.records.count
        // If the line is a position report, `decode` returns nil. Otherwise, the element of `positions` remains unused,
        // and the line is decoded again when the record is consumed.
        if decode(line, position: &block.positions[index].report) == nil { block.positionCount += 1 }
    }
}

/// Records that are read together, with their decoded positions. Blocks pass back and forth between the reader and the
/// player.
struct TraceBlock: Sendable {
    var records: [TraceRecord] = []
    /// The decoded positions of the records, in order. Elements beyond the first `positionCount` are unused and are
    /// kept only to reuse their memory.
    var positions: [DecodedPosition] = []
    var positionCount = 0
    /// The warnings about the file, each with the number of records that precede it in the block.
    var warnings: [(record: Int, warning: TraceWarning)] = []
    var isLast = false

    mutating func removeAll() {
        records.removeAll(keepingCapacity: true)
        positionCount = 0
        warnings = []
        isLast = false
    }
}

struct DecodedPosition: Sendable {
    /// The index in `TraceBlock.records`.
    var record = 0
    var report = PositionReport()
}
