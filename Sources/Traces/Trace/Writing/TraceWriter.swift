// SPDX-License-Identifier: Apache-2.0

public import DeviceCore
import Synchronization

/// Writes a trace: a header, followed by one line for each event.
///
/// ```swift
/// let writer = try TraceWriter(path: "drive.trace")
/// try writer.write(TraceHeader(start: .init(wallTime: clock.wallTime, boot: clock.now)))
/// try writer.write(TraceEvent(time: 1_500_000_000, .gpsd(line)))
/// try writer.close()
/// ```
///
/// Events are buffered for at most half a second and written in whole lines. If the process terminates unexpectedly,
/// the trace is still valid, but may lack the events of the last half second.
///
/// The writer is thread-safe and keeps the lines of each call together. An event that is earlier than the previous
/// event is written with the previous event's time. After a failure, nothing more is written and every call throws the
/// same error. Writing to a pipe without a reader raises SIGPIPE. To receive an error instead, ignore the signal.
public final class TraceWriter: TraceSink, Sendable {
    /// The maximum time that an event stays in the buffer, in seconds.
    static let maximumBufferingTime = 0.5
    /// The size, in bytes, at which the buffer is flushed.
    static let flushThreshold = 1 << 16

    private struct State {
        var output: (any TraceDestination)?
        var buffer: [UInt8] = []
        var hasHeader = false
        var lines = TraceEventEncoder()
        var failure: DeviceError?
        var timer: ClockTimer?
        var onFailure: (@Sendable (DeviceError) -> Void)?

        mutating func flush() throws(DeviceError) {
            timer = nil
            if let failure { throw failure }
            guard let output, !buffer.isEmpty else { return }
            defer { buffer.removeAll(keepingCapacity: buffer.capacity <= 4 * TraceWriter.flushThreshold) }
            do throws(DeviceError) {
                try buffer.withBytes { bytes throws(DeviceError) in try output.write(bytes) }
            } catch {
                failure = error
                throw error
            }
        }
    }

    package let name: String
    private let clock: any DeviceClock
    private let state: Mutex<State>

    /// Creates a trace file.
    ///
    /// - Parameters:
    ///   - path: The file, or "-" for standard output.
    ///   - overwrite: If true, replaces an existing file. Other hard links to the file keep the old contents. Symbolic
    ///     links created by another user are not followed.
    ///   - mode: The file mode, as for chmod. If nil, an existing file keeps its mode, and a new file gets the mode
    ///     0600, because a trace reveals positions.
    ///   - clock: The clock that schedules flushing.
    /// - Throws: An error with the code `busy` if another recorder is writing to the file, or a different error if the
    ///   file cannot be created.
    public convenience init(
        path: String, overwrite: Bool = false, mode: UInt32? = nil, clock: any DeviceClock = LiveClock()
    ) throws(DeviceError) {
        self.init(try TraceOutput(path: path, overwrite: overwrite, mode: mode), clock: clock)
    }

    /// Creates a trace file, or replaces an existing file atomically. An existing file stays unchanged until
    /// ``close()`` succeeds.
    package convenience init(whole path: String, overwrite: Bool, mode: UInt32? = nil) throws(DeviceError) {
        self.init(try TraceOutput(whole: path, overwrite: overwrite, mode: mode), clock: LiveClock())
    }

    /// Creates a writer for an open descriptor. Closing the writer does not close the descriptor.
    package convenience init(descriptor: Int32, name: String, clock: any DeviceClock = LiveClock()) {
        self.init(TraceOutput(descriptor: descriptor, name: name, isOwned: false), clock: clock)
    }

    package init(_ output: any TraceDestination, clock: any DeviceClock) {
        name = output.name
        self.clock = clock
        state = Mutex(State(output: output))
    }

    deinit {
        state.withLock { state in
            guard let output = state.output else { return }
            try? state.flush()
            output.abandon()
        }
    }

    /// The failure that stopped writing, or nil if no failure has occurred.
    public var failure: DeviceError? { state.withLock { $0.failure } }

    /// Writes and flushes the header. Must be called exactly once, before any event is written.
    public func write(_ header: TraceHeader) throws(DeviceError) {
        let line = header.line()
        try perform { (state) throws(DeviceError) in
            guard !state.hasHeader else {
                throw DeviceError(.invalidTrace, "The trace \(self.name) already has a header. Write it only once.")
            }
            state.hasHeader = true
            state.buffer.append(contentsOf: line)
            state.buffer.append(UInt8(ascii: "\n"))
            try state.flush()
        }
    }

    /// Writes the readings of a batch, one per line, with the batch's arrival time. Omits readings that a trace cannot
    /// represent. The readings are in the sensor's own axes. `start` is the start of the trace, on the same clock as
    /// the batch.
    package func write(_ batch: MotionBatch, since start: BootTime) throws(DeviceError) {
        let origin = start.nanoseconds
        let member = TraceSampleText.member(batch.sensor, kind: batch.kind)
        try append { lines, buffer in
            let time = lines.nondecreasingTime(max(batch.arrival.nanoseconds.subtractingSaturated(origin), 0))
            for index in 0..<batch.count {
                let stamp = batch.times[index].nanoseconds.subtractingSaturated(origin)
                TraceSampleText.append(
                    batch.values[index], kind: batch.kind, sensor: member, time: time, stamp: stamp, to: &buffer)
            }
        }
    }

    /// Writes an event. `time` is in nanoseconds since the start of the trace.
    package func write(_ contents: TraceEvent.Contents, at time: Int64) throws(DeviceError) {
        try write(TraceEvent(time: time, contents))
    }

    /// Writes an event of any kind. An event without a time gets the previous event's time.
    public func write(_ event: TraceEvent) throws(DeviceError) {
        try append { lines, buffer in lines.append(event, to: &buffer) }
    }

    /// Writes all buffered events to the file.
    public func flush() throws(DeviceError) { try perform { (state) throws(DeviceError) in try state.flush() } }

    /// Writes the buffered events, flushes the file to disk and closes it. Throws an error if the trace is incomplete.
    /// Calling this method again has no effect.
    public func close() throws(DeviceError) {
        let error = state.withLock { state -> DeviceError? in
            guard let output = state.output else { return nil }
            var first: DeviceError?
            do throws(DeviceError) { try state.flush() } catch { first = error }
            state.output = nil
            if first == nil {
                do throws(DeviceError) { try output.close() } catch { first = error }
            } else {
                output.abandon()
            }
            state.failure = state.failure ?? first
            return first
        }
        if let error { throw error }
    }

    /// Sets a closure that is called once, on the thread of the failing call, when a write first fails.
    func onFailure(_ action: @escaping @Sendable (DeviceError) -> Void) { state.withLock { $0.onFailure = action } }

    func append(_ change: (inout TraceEventEncoder, inout [UInt8]) -> Void) throws(DeviceError) {
        try perform { (state) throws(DeviceError) in
            guard state.hasHeader else {
                throw DeviceError(.invalidTrace, "The trace \(self.name) has no header. Write the header first.")
            }
            let oldCount = state.buffer.count
            change(&state.lines, &state.buffer)
            guard state.buffer.count > oldCount else { return }
            if state.buffer.count >= Self.flushThreshold {
                try state.flush()
            } else if state.timer == nil {
                let deadline = self.clock.now.advanced(bySeconds: Self.maximumBufferingTime)
                state.timer = self.clock.timer(at: deadline) { [weak self] in try? self?.flush() }
            }
        }
    }

    /// Applies a change to the state. Calls the failure closure if the change fails.
    private func perform(_ change: (inout State) throws(DeviceError) -> Void) throws(DeviceError) {
        let (error, action) = state.withLock { state -> (DeviceError?, (@Sendable (DeviceError) -> Void)?) in
            if let failure = state.failure { return (failure, nil) }
            guard state.output != nil else {
                return (DeviceError(.inputOutput, "The trace \(name) is closed; nothing can be written to it."), nil)
            }
            do throws(DeviceError) {
                try change(&state)
                return (nil, nil)
            } catch {
                guard state.failure != nil else { return (error, nil) }
                defer { state.onFailure = nil }
                return (error, state.onFailure)
            }
        }
        guard let error else { return }
        action?(error)
        throw error
    }
}
