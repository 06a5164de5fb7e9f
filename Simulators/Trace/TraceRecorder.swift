// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

public import DeviceCore
import Synchronization

/// Records what a device's position source says into a trace: every line of gpsd with its arrival, losses and returns.
///
///     let recorder = TraceRecorder(device: device, writer: try TraceWriter(path: "drive.trace"))
///     try recorder.start()
///     …
///     try recorder.stop()
///
/// It records once: for another trace, make another recorder. Any thread may call it. When the trace cannot be written
/// any more, for example because the disk is full, recording stops by itself, `failure` says why, and the closure given
/// for that is called once, on the source's or the clock's thread.
public final class TraceRecorder: Sendable {
    private enum Phase {
        case new, running, ended
    }

    private struct State {
        var phase = Phase.new
        var start = BootTime.zero
        var subscription: Subscription?
        var failure: DeviceError?
        var lines = 0
    }

    private let device: Device
    private let writer: TraceWriter
    private let program: String
    private let source: String
    private let onFailure: (@Sendable (DeviceError) -> Void)?
    private let state = Mutex(State())

    /// A recorder that has not started.
    ///
    /// - Parameters:
    ///   - device: what to record.
    ///   - writer: where to; it must not have a header yet, and it is closed at the end.
    ///   - recorder: the program that records, for the header.
    ///   - source: where positions come from, for the header; nil for what the device is configured to.
    ///   - onFailure: called once when the trace cannot be written any more.
    public init(
        device: Device, writer: TraceWriter, recorder: String = "device-services", source: String? = nil,
        onFailure: (@Sendable (DeviceError) -> Void)? = nil
    ) {
        self.device = device
        self.writer = writer
        program = recorder
        self.source = source ?? device.configuration.positionSource.value.description
        self.onFailure = onFailure
    }

    /// Why recording has stopped by itself; nil when it has not.
    public var failure: DeviceError? { state.withLock { $0.failure } }

    /// The lines of gpsd that were recorded so far.
    public var recordedLines: Int { state.withLock { $0.lines } }

    /// Writes the header and begins to record. The error says why nothing can be recorded.
    public func start() throws(DeviceError) {
        let clock = device.clock
        let start = TraceHeader.Start(wallTime: clock.wallTime, boot: clock.now)
        let isNew = state.withLock { state in
            guard state.phase == .new else { return false }
            state.phase = .running
            state.start = start.boot
            return true
        }
        guard isNew else {
            throw DeviceError(.busy, "This recorder has been started before. Make another one for another trace.")
        }
        var header = TraceHeader(start: start)
        header.clock = device.isSimulated ? "virtual" : "CLOCK_BOOTTIME"
        header.devices = device.positionSource.receivers.map { TraceDevice($0) }
        header.recorder = program
        header.source = source
        do throws(DeviceError) {
            try writer.write(header)
        } catch {
            state.withLock { state in
                state.phase = .ended
                state.failure = error
            }
            throw error
        }
        writer.whenFailing { [weak self] error in self?.fail(error) }
        // No lock is held: a source that is lost says so inside the call.
        let subscription = device.positionSource.subscribe(PositionRequest(lines: true)) { [weak self] event in
            self?.record(event)
        }
        let isRunning = state.withLock { state in
            guard state.phase == .running else { return false }
            state.subscription = subscription
            return true
        }
        if !isRunning { subscription.cancel() }
    }

    /// Ends recording and closes the trace. The error says that the trace is not complete; a failure that the closure
    /// was told of is not told again.
    public func stop() throws(DeviceError) {
        let (subscription, failure) = state.withLock { state in
            state.phase = .ended
            defer { state.subscription = nil }
            return (state.subscription, state.failure)
        }
        subscription?.cancel()
        do throws(DeviceError) {
            try writer.close()
        } catch {
            guard failure == nil else {
                if onFailure == nil { throw error }
                return
            }
            state.withLock { $0.failure = error }
            throw error
        }
    }

    private func record(_ event: PositionEvent) {
        let (isRunning, start) = state.withLock { ($0.phase == .running, $0.start) }
        guard isRunning else { return }
        // The writer tells of a failure by itself; what comes after the end is not wanted.
        do throws(DeviceError) {
            switch event {
            case .line(let line, let arrival):
                try writer.write(gpsdLine: line, at: Self.time(arrival, since: start))
                state.withLock { $0.lines += 1 }
            case .lost(let error):
                try writer.writeLost(error, at: Self.time(device.clock.now, since: start))
            case .regained:
                try writer.writeRegained(at: Self.time(device.clock.now, since: start))
            case .report, .sky, .attitude, .receivers:
                break
            }
        } catch {}
    }

    private func fail(_ error: DeviceError) {
        let (isFirst, subscription) = state.withLock { state -> (Bool, Subscription?) in
            guard state.failure == nil else { return (false, nil) }
            state.failure = error
            state.phase = .ended
            defer { state.subscription = nil }
            return (true, state.subscription)
        }
        guard isFirst else { return }
        subscription?.cancel()
        onFailure?(error)
    }

    /// A line that arrived before the start was waiting to be handed over.
    private static func time(_ arrival: BootTime, since start: BootTime) -> Int64 {
        let (time, overflow) = arrival.nanoseconds.subtractingReportingOverflow(start.nanoseconds)
        return overflow ? .max : max(time, 0)
    }
}
