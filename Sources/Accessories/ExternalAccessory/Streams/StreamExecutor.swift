// SPDX-License-Identifier: Apache-2.0

import AppDelivery
import DeviceCore
import Dispatch
import Foundation
import Synchronization
import SystemCalls

/// Delivers the events of a session's streams, either on a run loop in one mode or on a dispatch queue. If the streams
/// use a dispatch queue, or the same mode of the same run loop, they share one executor, so one wakeup serves both.
final class StreamExecutor: Sendable {
    enum Key: Hashable {
        case loop(ObjectIdentifier, mode: String)
        case queue
    }

    let key: Key
    private let isMainRunLoop: Bool
    private let mode: RunLoop.Mode
    private let executor: any CallbackExecutor
    /// The run loop source, or `nil` if the events are delivered on a dispatch queue or by the player's executor.
    /// During playback, `executor` may wrap this source.
    private let source: RunLoopExecutor?
    private let isSignalled = Atomic<Bool>(false)
    /// The number of nested calls to `run`. Greater than 1 if a callback runs a nested run loop.
    private let depth = Atomic<Int>(0)
    /// The thread that runs the callbacks. For a run loop, it never changes.
    private let callbackThread = Atomic<UInt>(0)
    private let session: Mutex<SessionCore.Weak>

    /// Creates an executor for one mode of a run loop. During playback, the player's executor delivers the events,
    /// unless the player is configured to deliver callbacks as on live hardware.
    init(loop: RunLoop, mode: RunLoop.Mode, session: SessionCore, device: Device) {
        key = Self.key(of: loop, mode)
        isMainRunLoop = loop === RunLoop.main
        self.mode = mode
        self.session = Mutex(SessionCore.Weak(core: session))
        if let playback = device.playback, !playback.usesLiveExecutors {
            executor = playback.executor(onMainThread: isMainRunLoop)
            source = nil
        } else {
            let source = RunLoopExecutor(loop: loop, mode: mode)
            self.source = source
            executor = device.playback?.counting(source) ?? source
        }
    }

    init(queue: DispatchQueue, session: SessionCore, device: Device) {
        key = .queue
        isMainRunLoop = false
        mode = .default
        self.session = Mutex(SessionCore.Weak(core: session))
        source = nil
        executor = ExecutorSelection.executor(for: queue, device: device)
    }

    /// The identity to pass to a channel so that this executor can read from it. `nil` if this executor cannot read
    /// from channels.
    var executorIdentity: ExecutorIdentity? { ExecutorIdentity(executor) }

    static func key(of loop: RunLoop, _ mode: RunLoop.Mode) -> Key {
        .loop(ObjectIdentifier(loop), mode: mode.rawValue)
    }

    /// Schedules the delivery of pending events. Has no effect if delivery is already scheduled.
    func signal() {
        guard !isSignalled.exchange(true, ordering: .acquiringAndReleasing) else { return }
        if let source, executor === source {
            // In one of this executor's callbacks, the run loop need not be woken, because it iterates again after the
            // callback. Waking it would cause an extra iteration.
            source.schedule({ self.run() }, wakes: !isRunningHere)
        } else {
            executor.schedule { self.run() }
        }
    }

    /// True within a callback of this executor. Always false if the executor does not use a run loop.
    var isRunningHere: Bool {
        // Checks the thread rather than `RunLoop.current`. On a thread without a run loop, that property would create
        // one, along with its file descriptors.
        guard source != nil, depth.load(ordering: .acquiring) > 0 else { return false }
        return callbackThread.load(ordering: .relaxed) == currentThread()
    }

    /// Delivers all pending events if the main run loop is running in this executor's mode. Called on the main thread.
    func drainIfMainRunLoop() {
        guard isMainRunLoop else { return }
        guard let source else {
            // During playback, this method runs on the player's executor.
            run(all: true)
            return
        }
        let isServed = source.runsInMainLoop { current in
            current == mode || (mode == .common && current == .default)
        }
        if isServed { run(all: true) }
    }

    func invalidate() { source?.invalidate() }

    private func run(all: Bool = false) {
        // Cleared first, so that an event during delivery schedules another run.
        isSignalled.store(false, ordering: .releasing)
        guard let session = session.withLock({ $0.core }) else { return }
        // The thread is stored before `depth` is incremented, because `isRunningHere` loads `depth` first.
        callbackThread.store(currentThread(), ordering: .relaxed)
        depth.wrappingAdd(1, ordering: .acquiringAndReleasing)
        session.deliver(at: self, all: all)
        depth.wrappingSubtract(1, ordering: .acquiringAndReleasing)
    }
}
