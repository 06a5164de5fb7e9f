// SPDX-License-Identifier: Apache-2.0

public import DeviceCore
import Synchronization

/// Writes a trace: a header, then one line for each event.
///
/// ```swift
/// let writer = try TraceWriter(path: "drive.trace")
/// try writer.write(TraceHeader(start: .init(wallTime: clock.wallTime, boot: clock.now)))
/// try writer.write(gpsdLine: line, at: 1_500_000_000)
/// try writer.close()
/// ```
///
/// Events reach the file half a second after they were written at the latest, in whole lines. When the process ends
/// before that, the trace lacks its last half second and is valid otherwise.
///
/// Any thread may write; the lines of one call stay together. A time before that of the last event is written as that
/// one, so that time never goes back in a trace. After the first failure nothing more is written, and every
/// call throws that failure. A pipe whose reader is gone raises SIGPIPE, as for every program: one that wants the error
/// instead ignores the signal.
public final class TraceWriter: TraceSink, Sendable {
    /// How long an event may stay in memory, in seconds.
    static let delay = 0.5
    /// How many bytes may stay in memory.
    static let capacity = 1 << 16

    private struct State {
        var output: (any TraceDestination)?
        var buffer: [UInt8] = []
        var hasHeader = false
        /// Knows the time of the last event.
        var lines = TraceEventLines()
        var failure: DeviceError?
        var timer: ClockTimer?
        var onFailure: (@Sendable (DeviceError) -> Void)?

        /// Writes what is in memory.
        mutating func flush() throws(DeviceError) {
            timer = nil
            if let failure { throw failure }
            guard let output, !buffer.isEmpty else { return }
            defer { buffer.removeAll(keepingCapacity: buffer.capacity <= 4 * TraceWriter.capacity) }
            do throws(DeviceError) {
                try buffer.withBytes { bytes throws(DeviceError) in try output.write(bytes) }
            } catch {
                failure = error
                throw error
            }
        }
    }

    /// What the trace is called in messages.
    public let name: String
    private let clock: any DeviceClock
    private let state: Mutex<State>

    /// Makes a file for a trace.
    ///
    /// - Parameters:
    ///   - path: the file, or "-" for standard output.
    ///   - overwrite: whether a file of that name may be replaced. One that has other names (hard links) stays as it is
    ///     under those, and a link that another user has made is not followed.
    ///   - mode: the permissions of the file, as of chmod; nil for 0600, since a trace tells where somebody was, and for
    ///     those of the file that is replaced.
    ///   - clock: what times the writing to the file.
    /// - Throws: an error of code `busy` while something else writes a trace to that file, which stays as it is; another one
    ///   when the file cannot be made.
    public convenience init(
        path: String, overwrite: Bool = false, mode: UInt32? = nil, clock: any DeviceClock = LiveClock()
    ) throws(DeviceError) {
        self.init(try TraceOutput(path: path, overwrite: overwrite, mode: mode), clock: clock)
    }

    /// Makes a file for a trace that is there as a whole or not at all: what lies in its place stays as it is until
    /// ``close()``, and altogether when that fails or is never called.
    ///
    /// - Parameters:
    ///   - path: the file, or "-" for standard output.
    ///   - overwrite: whether a file of that name may be replaced.
    ///   - mode: its permissions; nil for 0600, or those of the file that is replaced.
    package convenience init(whole path: String, overwrite: Bool, mode: UInt32? = nil) throws(DeviceError) {
        self.init(try TraceOutput(whole: path, overwrite: overwrite, mode: mode), clock: LiveClock())
    }

    /// Writes to a descriptor that is open already and stays open.
    ///
    /// - Parameters:
    ///   - descriptor: a file, a pipe or a terminal.
    ///   - name: what to call it in messages.
    ///   - clock: what times the writing.
    public convenience init(descriptor: Int32, name: String, clock: any DeviceClock = LiveClock()) {
        self.init(TraceOutput(descriptor: descriptor, name: name, isOwned: false), clock: clock)
    }

    /// Writes to something else than a file.
    ///
    /// - Parameters:
    ///   - output: gets whole lines.
    ///   - clock: what times the writing.
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

    /// Why the trace could not be written on; nil as long as it can.
    public var failure: DeviceError? { state.withLock { $0.failure } }

    /// Writes the header, which comes first and only once. It reaches the file at once.
    public func write(_ header: TraceHeader) throws(DeviceError) {
        let line = header.line()
        try perform { (state) throws(DeviceError) in
            guard !state.hasHeader else {
                throw DeviceError(.invalidTrace, "The trace \(self.name) has a header already; a trace has one.")
            }
            state.hasHeader = true
            state.buffer.append(contentsOf: line)
            state.buffer.append(UInt8(ascii: "\n"))
            try state.flush()
        }
    }

    /// Brings everything that was written to the file.
    public func flush() throws(DeviceError) { try perform { (state) throws(DeviceError) in try state.flush() } }

    /// Writes what is left, brings it to the disk and closes the file; the error says that the trace is not complete.
    /// A descriptor that was handed in stays open. Further calls do nothing.
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

    /// Has the closure called at the first failure that comes while events are written, from the thread that noticed.
    func whenFailing(_ action: @escaping @Sendable (DeviceError) -> Void) { state.withLock { $0.onFailure = action } }

    /// Adds whole lines of one time.
    func appendLines(at time: Int64, _ body: (_ buffer: inout [UInt8], _ time: Int64) -> Void) throws(DeviceError) {
        try append { lines, buffer in body(&buffer, lines.hold(time)) }
    }

    /// Adds whole lines. What comes from several threads may be a little late: time is held, so that it never goes back
    /// in the file.
    func append(_ change: (inout TraceEventLines, inout [UInt8]) -> Void) throws(DeviceError) {
        try perform { (state) throws(DeviceError) in
            guard state.hasHeader else {
                throw DeviceError(.invalidTrace, "The trace \(self.name) has no header yet; write that first.")
            }
            let former = state.buffer.count
            change(&state.lines, &state.buffer)
            guard state.buffer.count > former else { return }
            if state.buffer.count >= Self.capacity {
                try state.flush()
            } else if state.timer == nil {
                let deadline = self.clock.now.advanced(bySeconds: Self.delay)
                state.timer = self.clock.timer(at: deadline) { [weak self] in try? self?.flush() }
            }
        }
    }

    /// Runs the change unless the trace has failed or is closed, and tells of a failure that it brings.
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
