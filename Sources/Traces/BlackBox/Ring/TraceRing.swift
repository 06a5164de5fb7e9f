// SPDX-License-Identifier: Apache-2.0

import Synchronization
import SystemCalls
import TraceEditing
package import DeviceCore
package import Trace

/// The last minutes of a recording on the disk, in segments of which the oldest goes when there are enough.
///
/// It is what a ``Trace/TraceWriter`` writes to. Each segment is a trace by itself, whose first lines repeat what held when
/// it began: the battery, the accessories that are attached, what is lost, what gpsd said of itself. Its header has the
/// civil time of the start as the clock of the machine says it then, so that a clock that is set later puts it right.
///
/// All segments together have at most the bytes asked for, but for those of one write; while they are being saved, what is
/// recorded meanwhile comes on top. Nothing is brought to the disk on the thread that writes; what the disk has not taken
/// ends the recording with the next write.
package final class TraceRing: TraceDestination, Sendable {
    /// How large a ring is.
    package struct Options: Sendable {
        /// How long back it goes, in seconds.
        package var duration = 600.0
        /// The most bytes.
        package var size: Int64 = 64 << 20
        /// When it is brought to the disk.
        package var sync = RingSync.eachSecond

        /// Ten minutes, 64 MiB.
        package init() {}
    }

    struct State {
        var ledger: RingLedger
        var header: TraceHeader?
        /// Reads the lines that say what holds.
        var cursor: TraceCursor?
        var held = TraceState()
        var triggers: [RingTrigger] = []
        var output: TraceOutput?
        /// Segments that are full and still to be brought to the disk.
        var unsynced: [TraceOutput] = []
        /// A segment was begun whose name is still to be brought there.
        var hasNewName = false
        /// Why the disk has not taken something; asked again it says that all is well.
        var syncFailure: DeviceError?
        var last: Int64 = 0
        var isClosed = false
        var timer: ClockTimer?
    }

    /// What the ring is called in messages: its folder.
    package var name: String { folder.path }
    /// Where it lies, and what is saved of it.
    let place: RingPlace
    let disk: RingDisk
    let folder: RingFolder
    private let options: Options
    let clock: any DeviceClock
    private let syncClock: any DeviceClock
    let state: Mutex<State>
    /// Held while the disk takes what it is to have.
    private let syncing: Mutex<Void> = Mutex(())

    /// A ring in a place, which is made. What a former recorder has left there is set aside, for ``saveLeftovers(_:)``.
    ///
    /// - Parameters:
    ///   - clock: that of the recording.
    ///   - syncClock: a clock with a thread of its own, on which segments are brought to the disk.
    package convenience init(
        _ place: RingPlace, options: Options = Options(), clock: any DeviceClock,
        syncClock: any DeviceClock = LiveClock()
    ) throws(DeviceError) {
        try self.init(place, options: options, clock: clock, syncClock: syncClock, disk: .system)
    }

    init(
        _ place: RingPlace, options: Options, clock: any DeviceClock, syncClock: any DeviceClock, disk: RingDisk
    ) throws(DeviceError) {
        try place.make(disk)
        folder = try RingFolder(place.ring, mode: place.mode, disk: disk)
        place.removeUnfinished()
        try folder.setAside()
        self.place = place
        self.disk = disk
        self.options = options
        self.clock = clock
        self.syncClock = syncClock
        state = Mutex(
            State(
                ledger: RingLedger(
                    duration: Int64(saturatingSeconds: options.duration) ?? 0, size: options.size)))
    }

    deinit { try? close() }

    /// The bytes of all segments.
    package var size: Int64 { state.withLock { $0.ledger.total } }

    /// What the recording's header said; nil before it was written.
    package var header: TraceHeader? { state.withLock { $0.header } }

    // MARK: Writing

    /// Takes the header, and afterwards whole lines.
    package func write(_ bytes: UnsafeRawBufferPointer) throws(DeviceError) {
        try state.withLock { state throws(DeviceError) in
            if state.header == nil {
                try takeHeader(bytes, &state)
            } else {
                try takeLines(bytes, &state)
            }
        }
    }

    /// Ends it. The segments stay.
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

    private func takeHeader(_ bytes: UnsafeRawBufferPointer, _ state: inout State) throws(DeviceError) {
        let file = try TraceFile(bytes: Array(bytes), name: name)
        guard let header = file.header else {
            throw DeviceError(.invalidTrace, "What is to be recorded into \(name) has no header.")
        }
        state.header = header
        state.cursor = TraceCursor(file)
        if options.sync != .never { scheduleSync(&state) }
    }

    private func takeLines(_ bytes: UnsafeRawBufferPointer, _ state: inout State) throws(DeviceError) {
        guard !state.isClosed else {
            throw DeviceError(.inputOutput, "The ring \(name) is closed; nothing can be written to it.")
        }
        if let failure = state.syncFailure { throw failure }
        // What goes into one segment at once: from the place on, so many bytes, of those times.
        var start = 0
        var end = 0
        var times: (first: Int64, last: Int64)?
        while end < bytes.count {
            var next = end
            while next < bytes.count, bytes[next] != UInt8(ascii: "\n") { next += 1 }
            let line = UnsafeRawBufferPointer(rebasing: bytes[end..<next])
            next = min(next + 1, bytes.count)
            let time = TraceLine.time(line) ?? state.last
            if state.ledger.needsSegment(for: Int64(next - start), at: time) {
                try put(UnsafeRawBufferPointer(rebasing: bytes[start..<end]), times, &state)
                (start, times) = (end, nil)
                // A segment that has room after all, now that what is before is in it.
                if state.ledger.needsSegment(for: Int64(next - start), at: time) {
                    try beginSegment(toWrite: Int64(next - start), at: time, &state)
                }
            }
            state.last = time
            times = (times?.first ?? time, time)
            remember(line, &state)
            end = next
        }
        try put(UnsafeRawBufferPointer(rebasing: bytes[start..<end]), times, &state)
    }

    private func remember(_ line: UnsafeRawBufferPointer, _ state: inout State) {
        guard !TraceLine.isReading(line), let event = state.cursor?.event(onLine: line) else { return }
        state.held.take(event)
    }

    private func put(
        _ bytes: UnsafeRawBufferPointer, _ times: (first: Int64, last: Int64)?, _ state: inout State
    ) throws(DeviceError) {
        guard let times, let output = state.output else { return }
        try expire(toWrite: Int64(bytes.count), at: times.last, &state)
        state.ledger.wrote(Int64(bytes.count), from: times.first, to: times.last)
        try output.write(bytes)
    }

    private func expire(toWrite count: Int64, at time: Int64, _ state: inout State) throws(DeviceError) {
        for number in state.ledger.expire(toWrite: count, at: time) { try folder.remove(number) }
    }

    // MARK: Segments

    private func beginSegment(toWrite count: Int64, at time: Int64, _ state: inout State) throws(DeviceError) {
        endSegment(&state)
        guard var header = state.header else { return }
        var lines = TraceEventLines()
        var held: [UInt8] = []
        for contents in state.held.events { lines.append(TraceEvent(time: time, contents), to: &held) }
        let stateLines = held.count { $0 == UInt8(ascii: "\n") }
        if let start = header.start {
            // What the clock says now of the time of the start.
            let passed = clock.now.nanoseconds.subtractingSaturated(start.boot.nanoseconds)
            header.start?.wallTime = WallTime(nanoseconds: clock.wallTime.nanoseconds.subtractingSaturated(passed))
        }
        let number = state.ledger.begin()
        header.otherMembers.removeAll { $0.name == RingMark.member }
        header.otherMembers.append(
            RingMark(number: number, stateLines: stateLines, triggers: state.triggers).traceMember)
        let head = header.line() + [UInt8(ascii: "\n")] + held
        let output: TraceOutput
        do throws(DeviceError) {
            try expire(toWrite: Int64(head.count) + count, at: time, &state)
            output = try folder.make(number)
        } catch {
            // Nothing can be written to it.
            state.ledger.close()
            throw error
        }
        state.output = output
        state.hasNewName = true
        state.ledger.grewHead(Int64(head.count))
        try output.write(head)
    }

    func endSegment(_ state: inout State) {
        guard let output = state.output else { return }
        state.output = nil
        state.ledger.close()
        if options.sync == .never {
            systemClose(output.descriptor)
        } else {
            state.unsynced.append(output)
        }
    }

    // MARK: The disk

    private func scheduleSync(_ state: inout State) {
        state.timer = syncClock.timer(at: syncClock.now.advanced(bySeconds: 1)) { [weak self] in
            guard let self else { return }
            sync()
            let former = self.state.withLock { state -> ClockTimer? in
                defer { if !state.isClosed { self.scheduleSync(&state) } }
                return state.timer
            }
            withExtendedLifetime(former) {}
        }
    }

    /// Brings to the disk what is to be there. Takes as long as the disk does, and holds nobody up but those who want the
    /// same.
    func sync() { syncing.withLock { _ in bringToDisk() } }

    private func bringToDisk() {
        let isEachSecond = options.sync == .eachSecond
        let (full, current, hasNewName) = state.withLock { state -> ([TraceOutput], TraceOutput?, Bool) in
            defer { (state.unsynced, state.hasNewName) = ([], false) }
            // A number of its own, because the segment may end meanwhile.
            let current = (isEachSecond ? state.output : nil).flatMap { output -> TraceOutput? in
                let copy = fcntl(output.descriptor, F_DUPFD_CLOEXEC, 0)
                return copy < 0 ? nil : TraceOutput(descriptor: copy, name: output.name, isOwned: true)
            }
            return (state.unsynced, current, state.hasNewName)
        }
        for output in full { sync(.file(output.name), output) }
        if let current { sync(.data(current.name), current) }
        guard !full.isEmpty || (isEachSecond && hasNewName) else { return }
        keepFailure { () throws(DeviceError) in try folder.sync() }
    }

    /// Brings the bytes of a segment to the disk, and closes the descriptor.
    private func sync(_ step: RingDisk.Step, _ output: TraceOutput) {
        keepFailure { () throws(DeviceError) in try disk.sync(step, output.descriptor) }
        systemClose(output.descriptor)
    }

    private func keepFailure(_ body: () throws(DeviceError) -> Void) {
        do throws(DeviceError) {
            try body()
        } catch {
            state.withLock { $0.syncFailure = $0.syncFailure ?? error }
        }
    }
}
