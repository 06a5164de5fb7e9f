// SPDX-License-Identifier: Apache-2.0

import AppDelivery
import DeviceCore
import Dispatch
import Foundation
import Synchronization
import SystemCalls

/// Delivers the events of a session's streams on a run loop in a mode, or on a dispatch queue. Both streams can share
/// an executor, so that one wakeup serves both.
final class StreamExecutor: Sendable {
    enum Key: Hashable {
        case loop(ObjectIdentifier, mode: String)
        case queue
    }

    let key: Key
    private let isMainRunLoop: Bool
    private let mode: RunLoop.Mode
    private let executor: any CallbackExecutor
    /// The run loop source, or `nil` for a dispatch queue or the player's executor. During playback, `executor` may be
    /// a wrapper around it.
    private let source: RunLoopExecutor?
    private let isSignalled = Atomic<Bool>(false)
    private let depth = Atomic<Int>(0)
    /// The thread that runs the callbacks. For a run loop, the thread never changes.
    private let callbackThread = Atomic<UInt>(0)
    private let session: Mutex<SessionCore.Weak>

    /// Creates an executor for a run loop in a mode. During playback, the player's executor is used instead, unless the
    /// player delivers events as on live hardware.
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

    /// The identity that channels use for this executor, or `nil` if the executor cannot read from channels.
    var executorIdentity: ExecutorIdentity? { ExecutorIdentity(executor) }

    static func key(of loop: RunLoop, _ mode: RunLoop.Mode) -> Key {
        .loop(ObjectIdentifier(loop), mode: mode.rawValue)
    }

    /// Schedules a drain of the streams' pending events. Calls before the drain are coalesced.
    func signal() {
        guard !isSignalled.exchange(true, ordering: .acquiringAndReleasing) else { return }
        if let source, executor === source {
            // Inside a callback of this executor, the run loop is not woken. It iterates again after the callback
            // anyway, and waking it would cause an additional iteration.
            source.schedule({ self.run() }, wakes: !isRunningHere)
        } else {
            executor.schedule { self.run() }
        }
    }

    /// True inside a callback of this executor. Always false if the executor is not a run loop.
    var isRunningHere: Bool {
        // On a thread without a run loop, accessing the current run loop would create a run loop and its file
        // descriptors.
        guard source != nil, depth.load(ordering: .acquiring) > 0 else { return false }
        return callbackThread.load(ordering: .relaxed) == currentThread()
    }

    /// Delivers all pending events if the main run loop runs in the mode of this executor. Called on the main thread.
    func drainIfMainRunLoop() {
        guard isMainRunLoop else { return }
        guard let source else {
            // During playback, the player's executor calls this method.
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
        isSignalled.store(false, ordering: .releasing)
        guard let session = session.withLock({ $0.core }) else { return }
        callbackThread.store(currentThread(), ordering: .relaxed)
        depth.wrappingAdd(1, ordering: .acquiringAndReleasing)
        session.deliver(at: self, all: all)
        depth.wrappingSubtract(1, ordering: .acquiringAndReleasing)
    }
}
