// SPDX-License-Identifier: Apache-2.0

import CoreFoundation
package import DeviceCore
import Dispatch
package import Foundation
import Synchronization

/// An executor for one run loop in one mode. The run loop may belong to a different thread.
///
/// Core Foundation provides a `CFRunLoop` only for the current thread and the main thread. For any other thread, a
/// timer that fires on that thread obtains the `CFRunLoop`. Unlike `RunLoop.perform`, a timer wakes the run loop.
///
/// The main run loop does not run in programs that call `dispatchMain()` or have an async `main`. In these programs,
/// work for the main run loop's default or common modes runs on the main queue.
package final class RunLoopExecutor: PollingExecutor, @unchecked Sendable {
    // Both types are `@unchecked Sendable` because any thread may signal a source or wake a run loop. The run loop is
    // set once, with the lock held.
    private struct Loop: @unchecked Sendable { let value: CFRunLoop }

    private struct State {
        var loop: Loop?
        var isInvalid = false
        var workContext = WorkContext.loop
        /// The `onReady` closures to call once it is known whether the run loop can poll descriptors.
        var waiting: [@Sendable () -> Void] = []

        mutating func removeReadyCallbacks() -> [@Sendable () -> Void] {
            loop == nil || workContext == .undetermined ? [] : exchange(&waiting, with: [])
        }
    }

    private enum WorkContext {
        case loop, mainQueue
        /// The executor belongs to the main run loop, but it is not yet known whether that run loop is running.
        case undetermined
    }

    private let source: CFRunLoopSource
    private let mode: CFRunLoopMode?
    private let work: PendingWork
    private let state: Mutex<State>

    /// Adds a source that keeps the run loop running in the given mode until `invalidate()` is called.
    package init(loop: RunLoop, mode: RunLoop.Mode) {
        let work = PendingWork()
        var context = CFRunLoopSourceContext()
        context.info = Unmanaged.passUnretained(work).toOpaque()
        context.retain = { info in
            guard let info else { return nil }
            return UnsafeRawPointer(Unmanaged<PendingWork>.fromOpaque(info).retain().toOpaque())
        }
        context.release = { info in if let info { Unmanaged<PendingWork>.fromOpaque(info).release() } }
        context.perform = { info in if let info { Unmanaged<PendingWork>.fromOpaque(info).takeUnretainedValue().run() }
        }
        self.work = work
        self.mode =
            switch mode {
            case .common: kCFRunLoopCommonModes
            case .default: kCFRunLoopDefaultMode
            default: RunLoopExecutor.string(mode.rawValue)
            }
        source = CFRunLoopSourceCreate(nil, 0, &context)
        state = Mutex(State())
        if loop === RunLoop.main {
            attach(to: CFRunLoopGetMain())
            if mode == .default || mode == .common {
                state.withLock { $0.workContext = .undetermined }
                detectMainRunLoop()
            }
        } else if loop === RunLoop.current {
            attach(to: CFRunLoopGetCurrent())
        } else {
            let timer = Timer(timeInterval: 0, repeats: false) { [weak self] _ in
                self?.attach(to: CFRunLoopGetCurrent())
            }
            loop.add(timer, forMode: mode)
        }
    }

    deinit { invalidate() }

    package func schedule(_ item: @escaping @Sendable () -> Void) { schedule(item, wakes: true) }

    package func register(
        _ set: EpollSet, onReady: @escaping @Sendable () -> Void, read: @escaping @Sendable () -> Void
    ) -> Subscription? {
        let loop = state.withLock { state -> Loop? in
            guard !state.isInvalid, state.workContext != .mainQueue else { return nil }
            if state.workContext == .loop, let loop = state.loop { return loop }
            state.waiting.append(onReady)
            return nil
        }
        guard let loop else { return nil }
        return RunLoopPoller.start(loop: loop.value, mode: mode, set: set, executor: self, read: read)
    }

    /// - Parameter wakes: True to wake the run loop. Pass false if the caller is already running on this executor.
    package func schedule(_ item: @escaping @Sendable () -> Void, wakes: Bool) {
        if DeferredCallbacks.append(item, for: self) { return }
        work.add(item)
        let (loop, workContext, isInvalid) = currentState
        // After invalidation, the source no longer runs any work, so the work runs immediately. If it stayed pending,
        // it could keep this executor alive.
        if isInvalid { return work.run() }
        if workContext == .mainQueue {
            DispatchQueue.main.async { [work] in work.run() }
            return
        }
        CFRunLoopSourceSignal(source)
        if wakes, let loop { CFRunLoopWakeUp(loop) }
    }

    /// Returns true if the executor belongs to the main run loop and `includesMode` accepts that run loop's current
    /// mode. Also returns true if the main run loop is not running and the main queue runs the executor's work instead.
    package func runsInMainLoop(mode includesMode: (RunLoop.Mode) -> Bool) -> Bool {
        let (loop, workContext, _) = currentState
        guard let loop, loop === CFRunLoopGetMain() else { return false }
        if workContext == .mainQueue { return true }
        guard let current = CFRunLoopCopyCurrentMode(loop) else { return false }
        return includesMode(RunLoop.Mode(rawValue: RunLoopExecutor.text(of: current)))
    }

    /// Invalidates the source, so that the run loop no longer runs the executor's work. Runs pending work immediately,
    /// because playback would otherwise wait for it forever.
    package func invalidate() {
        let (wasValid, attached) = state.withLock { state in
            defer { state.isInvalid = true }
            return (!state.isInvalid, state.loop)
        }
        guard wasValid else { return }
        CFRunLoopSourceInvalidate(source)
        // A run loop with no sources left returns from `run()`, but must first be woken if it is sleeping.
        if let attached { CFRunLoopWakeUp(attached.value) }
        work.run()
    }

    private var currentState: (loop: CFRunLoop?, workContext: WorkContext, isInvalid: Bool) {
        let (loop, workContext, isInvalid) = state.withLock { ($0.loop, $0.workContext, $0.isInvalid) }
        return (loop?.value, workContext, isInvalid)
    }

    private func attach(to loop: CFRunLoop) {
        let attached = Loop(value: loop)
        let waiting = state.withLock { state -> [@Sendable () -> Void]? in
            guard !state.isInvalid else { return nil }
            state.loop = attached
            return state.removeReadyCallbacks()
        }
        guard let waiting else { return }
        CFRunLoopAddSource(loop, source, mode)
        CFRunLoopWakeUp(loop)
        for onReady in waiting { onReady() }
    }

    /// Checks, on the main queue, whether the main run loop is running. If not, another thread runs the main queue.
    private func detectMainRunLoop() {
        DispatchQueue.main.async { [weak self] in
            guard let self else { return }
            let isRunning = CFRunLoopCopyCurrentMode(CFRunLoopGetMain()) != nil
            let (runsWork, waiting) = self.state.withLock { state in
                state.workContext = isRunning ? .loop : .mainQueue
                return (!isRunning && !state.isInvalid, state.removeReadyCallbacks())
            }
            if runsWork { self.work.run() }
            for onReady in waiting { onReady() }
        }
    }

    private static func string(_ text: String) -> CFString {
        let bytes = Array(text.utf8)
        return bytes.withUnsafeBufferPointer { bytes in
            CFStringCreateWithBytes(nil, bytes.baseAddress, bytes.count, CFStringBuiltInEncodings.UTF8.rawValue, false)
        }
    }

    private static func text(of string: CFString) -> String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 1024) { buffer in
            guard let start = buffer.baseAddress,
                CFStringGetCString(string, start, buffer.count, CFStringBuiltInEncodings.UTF8.rawValue)
            else { return "" }
            return String(cString: start)
        }
    }
}

/// Work that is waiting for the run loop. The two arrays in `State` are swapped to reuse their memory.
private final class PendingWork: Sendable {
    private struct State {
        var waiting: [@Sendable () -> Void] = []
        var spare: [@Sendable () -> Void] = []
    }

    private let state = Mutex(State())

    func add(_ item: @escaping @Sendable () -> Void) { state.withLock { $0.waiting.append(item) } }

    func run() {
        var batch: [@Sendable () -> Void] = []
        state.withLock { state in
            swap(&batch, &state.spare)
            swap(&batch, &state.waiting)
        }
        for item in batch { item() }
        batch.removeAll(keepingCapacity: true)
        state.withLock { swap(&batch, &$0.spare) }
    }
}
