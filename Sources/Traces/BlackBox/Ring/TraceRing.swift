// SPDX-License-Identifier: Apache-2.0

import Synchronization
import SystemCalls
import TraceEditing
package import DeviceCore
package import Trace

/// The most recent minutes of a recording, stored on disk in segments. New segments replace the oldest ones.
///
/// A ring is the destination of a ``Trace/TraceWriter``. Each segment is a valid trace. Its first lines restore the
/// state at the beginning of the segment: the battery, attached accessories, active losses, and gpsd's reports about
/// itself. The civil time in the header is computed again for each segment, because the clock may have been corrected.
///
/// The total size of the segments may exceed the limit by one write, and by more while segments are being saved. All
/// methods may be called from any thread. A `syncClock` timer and ``close()`` synchronize segments with the disk;
/// writes never do. If synchronization fails, the next write fails.
package final class TraceRing: TraceDestination, Sendable {
    package struct Options: Sendable {
        /// The duration that the ring covers, in seconds.
        package var duration = 600.0
        /// The maximum total size of the segments, in bytes.
        package var size: Int64 = 64 << 20
        package var sync = RingSyncPolicy.eachSecond

        package init() {}
    }

    struct State {
        var segmentList: RingSegmentList
        var header: TraceHeader?
        /// The parser for lines that change the state.
        var cursor: TraceCursor?
        var traceState = TraceState()
        var triggers: [RingTrigger] = []
        var output: TraceOutput?
        /// Complete segments that have not been synchronized with the disk yet.
        var unsynced: [TraceOutput] = []
        var hasUnsyncedDirectoryEntry = false
        /// The first synchronization failure. Stored because a repeated `fsync` may report success.
        var syncFailure: DeviceError?
        var lastTime: Int64 = 0
        var isClosed = false
        var timer: ClockTimer?
    }

    package var name: String { folder.path }
    let location: RingLocation
    let disk: DiskSynchronizer
    let folder: RingDirectory
    private let options: Options
    let clock: any DeviceClock
    private let syncClock: any DeviceClock
    let state: Mutex<State>
    /// Held during synchronization with the disk. Acquired before ``state``.
    private let syncLock: Mutex<Void> = Mutex(())

    /// Creates a ring and its directory. Segments of an earlier recorder are renamed to mark them as leftovers.
    /// `syncClock` has its own thread, which synchronizes segments with the disk.
    package convenience init(
        _ location: RingLocation, options: Options = Options(), clock: any DeviceClock,
        syncClock: any DeviceClock = LiveClock()
    ) throws(DeviceError) {
        try self.init(location, options: options, clock: clock, syncClock: syncClock, disk: .system)
    }

    init(
        _ location: RingLocation, options: Options, clock: any DeviceClock, syncClock: any DeviceClock,
        disk: DiskSynchronizer
    ) throws(DeviceError) {
        try location.createDirectory(disk)
        folder = try RingDirectory(location.ringDirectory, mode: location.mode, disk: disk)
        // The directory is locked now, so these files do not belong to a running recorder.
        location.removeUnfinished()
        try folder.renameAsLeftovers()
        (self.location, self.disk, self.options) = (location, disk, options)
        (self.clock, self.syncClock) = (clock, syncClock)
        state = Mutex(
            State(
                segmentList: RingSegmentList(
                    duration: Int64(saturatingSeconds: options.duration) ?? 0, size: options.size)))
    }

    deinit { try? close() }

    /// The total size of the segments in bytes.
    package var size: Int64 { state.withLock { $0.segmentList.total } }

    package var header: TraceHeader? { state.withLock { $0.header } }

    // MARK: Writing

    package func write(_ bytes: UnsafeRawBufferPointer) throws(DeviceError) {
        try state.withLock { state throws(DeviceError) in
            if state.header == nil {
                try processHeader(bytes, &state)
            } else {
                try appendLines(bytes, &state)
            }
        }
    }

    /// Closes the ring and keeps its segments. Throws an error if synchronization with the disk failed.
    package func close() throws(DeviceError) {
        let (isFirst, failure, timer) = state.withLock { state -> (Bool, DeviceError?, ClockTimer?) in
            defer { (state.isClosed, state.timer) = (true, nil) }
            guard !state.isClosed else { return (false, nil, nil) }
            endSegment(&state)
            return (true, state.syncFailure, state.timer)
        }
        guard isFirst else { return }
        timer?.cancel()
        sync()
        if let failure = failure ?? state.withLock({ $0.syncFailure }) { throw failure }
    }

    private func processHeader(_ bytes: UnsafeRawBufferPointer, _ state: inout State) throws(DeviceError) {
        let file = try TraceFile(bytes: Array(bytes), name: name)
        guard let header = file.header else {
            throw DeviceError(.invalidTrace, "The trace to record into \(name) has no header.")
        }
        state.header = header
        state.cursor = TraceCursor(file)
        if options.sync != .never { scheduleSync(&state) }
    }

    private func appendLines(_ bytes: UnsafeRawBufferPointer, _ state: inout State) throws(DeviceError) {
        guard !state.isClosed else {
            throw DeviceError(.inputOutput, "The ring \(name) is closed; nothing can be written to it.")
        }
        if let failure = state.syncFailure { throw failure }
        // The range of bytes to write to the current segment, and the times of the first and last event in that range.
        var start = 0
        var end = 0
        var times: (first: Int64, last: Int64)?
        while end < bytes.count {
            var next = end
            while next < bytes.count, bytes[next] != UInt8(ascii: "\n") { next += 1 }
            let line = UnsafeRawBufferPointer(rebasing: bytes[end..<next])
            next = min(next + 1, bytes.count)
            let time = TraceLine.time(line) ?? state.lastTime
            if state.segmentList.needsSegment(for: Int64(next - start), at: time) {
                try writeToSegment(UnsafeRawBufferPointer(rebasing: bytes[start..<end]), times, &state)
                (start, times) = (end, nil)
                // Writing the preceding bytes changes the current segment, so the check must be repeated.
                if state.segmentList.needsSegment(for: Int64(next - start), at: time) {
                    try beginSegment(toWrite: Int64(next - start), at: time, &state)
                }
            }
            state.lastTime = time
            times = (times?.first ?? time, time)
            // Called after `beginSegment`, because the initial state of a segment excludes the segment's own events.
            updateState(with: line, &state)
            end = next
        }
        try writeToSegment(UnsafeRawBufferPointer(rebasing: bytes[start..<end]), times, &state)
    }

    private func updateState(with line: UnsafeRawBufferPointer, _ state: inout State) {
        guard !TraceLine.isReading(line), let event = state.cursor?.event(onLine: line) else { return }
        state.traceState.update(with: event)
    }

    private func writeToSegment(
        _ bytes: UnsafeRawBufferPointer, _ times: (first: Int64, last: Int64)?, _ state: inout State
    ) throws(DeviceError) {
        guard let times, let output = state.output else { return }
        try expire(toWrite: Int64(bytes.count), at: times.last, &state)
        state.segmentList.recordWrite(Int64(bytes.count), from: times.first, to: times.last)
        try output.write(bytes)
    }

    private func expire(toWrite count: Int64, at time: Int64, _ state: inout State) throws(DeviceError) {
        for number in state.segmentList.expire(toWrite: count, at: time) { try folder.remove(number) }
    }

    // MARK: Segments

    private func beginSegment(toWrite count: Int64, at time: Int64, _ state: inout State) throws(DeviceError) {
        endSegment(&state)
        guard var header = state.header else { return }
        var lines = TraceEventEncoder()
        var stateBytes: [UInt8] = []
        for contents in state.traceState.events { lines.append(TraceEvent(time: time, contents), to: &stateBytes) }
        let stateLines = stateBytes.count { $0 == UInt8(ascii: "\n") }
        if let start = header.start {
            // The civil time at the start, according to the clock's current setting.
            let passed = clock.now.nanoseconds.subtractingSaturated(start.boot.nanoseconds)
            header.start?.wallTime = WallTime(nanoseconds: clock.wallTime.nanoseconds.subtractingSaturated(passed))
        }
        let number = state.segmentList.begin()
        header.otherMembers.removeAll { $0.name == RingSegmentHeader.member }
        header.otherMembers.append(
            RingSegmentHeader(number: number, stateLines: stateLines, triggers: state.triggers).traceMember)
        let head = header.line() + [UInt8(ascii: "\n")] + stateBytes
        let output: TraceOutput
        do throws(DeviceError) {
            try expire(toWrite: Int64(head.count) + count, at: time, &state)
            output = try folder.createSegment(number)
        } catch {
            // The segment could not be created, so it cannot be written to.
            state.segmentList.close()
            throw error
        }
        state.output = output
        state.hasUnsyncedDirectoryEntry = true
        state.segmentList.recordHeader(size: Int64(head.count))
        try output.write(head)
    }

    func endSegment(_ state: inout State) {
        guard let output = state.output else { return }
        state.output = nil
        state.segmentList.close()
        if options.sync == .never {
            systemClose(output.descriptor)
        } else {
            state.unsynced.append(output)
        }
    }

    // MARK: Synchronization

    private func scheduleSync(_ state: inout State) {
        state.timer = syncClock.timer(at: syncClock.now.advanced(bySeconds: 1)) { [weak self] in
            guard let self else { return }
            sync()
            let previousTimer = self.state.withLock { state -> ClockTimer? in
                defer { if !state.isClosed { self.scheduleSync(&state) } }
                return state.timer
            }
            // Releases the previous timer, which cancels it, without holding the lock.
            withExtendedLifetime(previousTimer) {}
        }
    }

    /// Synchronizes completed segments and, if required, the current segment. Blocks until the disk has finished.
    func sync() { syncLock.withLock { _ in syncPendingFiles() } }

    private func syncPendingFiles() {
        let isEachSecond = options.sync == .eachSecond
        let (full, current, hasNewName) = state.withLock { state -> ([TraceOutput], TraceOutput?, Bool) in
            defer { (state.unsynced, state.hasUnsyncedDirectoryEntry) = ([], false) }
            // The descriptor is duplicated, because the segment may be closed in the meantime.
            let current = (isEachSecond ? state.output : nil).flatMap { output -> TraceOutput? in
                let copy = fcntl(output.descriptor, F_DUPFD_CLOEXEC, 0)
                return copy < 0 ? nil : TraceOutput(descriptor: copy, name: output.name, isOwned: true)
            }
            return (state.unsynced, current, state.hasUnsyncedDirectoryEntry)
        }
        for output in full { sync(.file(output.name), output) }
        if let current { sync(.data(current.name), current) }
        guard !full.isEmpty || (isEachSecond && hasNewName) else { return }
        recordFailure { () throws(DeviceError) in try folder.sync() }
    }

    /// Synchronizes a segment and closes its descriptor.
    private func sync(_ step: DiskSynchronizer.Step, _ output: TraceOutput) {
        recordFailure { () throws(DeviceError) in try disk.sync(step, output.descriptor) }
        systemClose(output.descriptor)
    }

    private func recordFailure(_ body: () throws(DeviceError) -> Void) {
        do throws(DeviceError) {
            try body()
        } catch {
            state.withLock { $0.syncFailure = $0.syncFailure ?? error }
        }
    }
}
