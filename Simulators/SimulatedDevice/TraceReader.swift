// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Dispatch
import GPSDProtocol
import Synchronization
import SystemCalls
import Trace

/// Reads a trace block by block; a large one ahead of the player, on another thread. It decodes positions, too, which is
/// most of the work of playing them.
///
/// Whether a thread reads ahead changes when a block is read and nothing else. One player asks for blocks. It never waits
/// for work that has not begun: what no thread is at, it reads itself, so that it gets on when all threads are busy.
final class TraceReader: Sendable {
    /// A block takes about as long as waking a thread for it ten times.
    private static let blockSize = 1024
    /// Positions take more room than all else in a block, and more time.
    private static let maximumPositions = 128
    /// Blocks that may wait for the player.
    private static let depth = 4
    /// Smaller files are read sooner than a thread starts.
    private static let smallest = 1 << 20

    /// Where reading stands; touched only by the thread that has set `isReading`.
    private final class Place: @unchecked Sendable {
        var cursor: TraceCursor
        var warningCount = 0
        /// Nil where nobody wants positions.
        var decoder: GPSDDecoder?

        init(_ file: TraceFile, decodes: Bool) {
            cursor = file.playingCursor
            decoder = decodes ? GPSDDecoder() : nil
        }
    }

    private struct State: Sendable {
        /// Read and not asked for, oldest first.
        var ready: [TraceBlock] = []
        /// Memory of blocks that were used up.
        var spare: [TraceBlock] = []
        var isReading = false
        /// True while the player waits for it.
        var isAwaited = false
        var isDone = false
        /// True from when a thread is called until it comes.
        var isCalled = false
    }

    private let file: TraceFile
    private let place: Place
    private let readsAhead: Bool
    private let state = Mutex(State())
    private let arrived = DispatchSemaphore(value: 0)

    /// - Parameters:
    ///   - readsAhead: nil for where it is worth it.
    ///   - decodesPositions: false where they are not played.
    init(_ file: TraceFile, readsAhead: Bool? = nil, decodesPositions: Bool = true) {
        self.file = file
        place = Place(file, decodes: decodesPositions)
        self.readsAhead = readsAhead ?? (file.playedSize >= Self.smallest && sysconf(Int32(_SC_NPROCESSORS_ONLN)) > 1)
    }

    /// The next block.
    ///
    /// - Parameter used: the block that was used up, whose memory is used again.
    func next(after used: consuming TraceBlock) -> TraceBlock {
        var former = used
        used = TraceBlock()
        former.empty()
        while true {
            enum Turn {
                case take(TraceBlock)
                case read
                case wait
            }
            let turn = state.withLock { state -> Turn in
                if !state.ready.isEmpty {
                    state.spare.append(former)
                    return .take(state.ready.removeFirst())
                }
                if state.isDone { return .take(TraceBlock(isLast: true)) }
                if state.isReading {
                    state.isAwaited = true
                    return .wait
                }
                state.isReading = true
                return .read
            }
            switch turn {
            case .take(let block):
                readAhead()
                return block
            case .wait: arrived.wait()
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

    /// Has another thread read when there is little left.
    private func readAhead() {
        guard readsAhead else { return }
        let begins = state.withLock { state in
            guard !state.isReading, !state.isCalled, !state.isDone, state.ready.count <= Self.depth / 2 else {
                return false
            }
            state.isCalled = true
            return true
        }
        guard begins else { return }
        DispatchQueue.global(qos: .userInitiated).async { [weak self] in self?.work() }
    }

    /// Reads until enough blocks wait.
    private func work() {
        while true {
            let memory = state.withLock { state -> TraceBlock? in
                state.isCalled = false
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
                defer { state.isAwaited = false }
                return state.isAwaited
            }
            if isAwaited { arrived.signal() }
        }
    }

    /// Reads a block into that memory.
    private func read(_ memory: consuming TraceBlock) -> TraceBlock {
        var block = memory
        block.records.reserveCapacity(Self.blockSize)
        file.withPlayedBytes { bytes in
            Self.fill(&block, &place.cursor, &place.warningCount, &place.decoder, bytes)
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
                let kept = cursor.warnings.dropFirst(min(warningCount, cursor.warnings.count))
                for warning in kept { block.warnings.append((block.records.count, warning)) }
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
    /// Adds the position on the line of the record that comes next.
    fileprivate mutating func decode(_ line: UnsafeRawBufferPointer, into block: inout TraceBlock) {
        let place = block.positionCount
        if place == block.positions.count { block.positions.append(DecodedPosition()) }
        block.positions[place].record = block.records.count
        // What only looked like one is left to who takes the record.
        if decode(line, position: &block.positions[place].report) == nil { block.positionCount += 1 }
    }
}

/// Some events of a trace, one behind the other.
struct TraceBlock: Sendable {
    var records: [TraceRecord] = []
    /// Those of the records that are positions, in the same order, and behind them memory to be used again.
    var positions: [DecodedPosition] = []
    var positionCount = 0
    /// What there was to say about the file, each with the number of records that the block held already.
    var warnings: [(record: Int, warning: TraceWarning)] = []
    var isLast = false

    /// Forgets all, and keeps the memory.
    mutating func empty() {
        records.removeAll(keepingCapacity: true)
        positionCount = 0
        warnings = []
        isLast = false
    }
}

/// A position, and which record of a block it is.
struct DecodedPosition: Sendable {
    var record = 0
    var report = PositionReport()
}
