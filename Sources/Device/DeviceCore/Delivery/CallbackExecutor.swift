// SPDX-License-Identifier: Apache-2.0

import Dispatch

/// An executor on which the app receives callbacks, such as a queue or a run loop. Sources schedule callbacks on it
/// from their own threads.
public protocol CallbackExecutor: AnyObject, Sendable {
    /// Schedules the work on the executor, after all work that was scheduled before. The work never runs inside this
    /// call.
    func schedule(_ work: @escaping @Sendable () -> Void)
}

/// A provider of callback executors for the playback of a trace. Unless `usesLiveExecutors` is true, the player runs the
/// callbacks itself, in one global order.
public protocol PlaybackExecutorProvider: AnyObject, Sendable {
    /// True if managers use the same executors as with live hardware.
    var usesLiveExecutors: Bool { get }

    /// Returns the executor for a manager that was created on the main thread, or on another thread.
    func executor(onMainThread: Bool) -> any CallbackExecutor

    /// Returns an executor that forwards work to a live executor, so that playback can wait until all scheduled work
    /// has run.
    func counting(_ executor: any CallbackExecutor) -> any CallbackExecutor

    /// The gate that counts the consumers of async sequences. Playback waits until all consumers are idle.
    var consumerGate: ConsumerGate { get }
}

/// Detects whether code runs on the main queue, without Foundation.
///
/// The main queue is not bound to the main thread: after `dispatchMain()`, or in a program with an async `main`
/// function, Dispatch runs the main queue, and with it the main actor, on its own threads.
package enum MainQueueContext {
    private static let key: DispatchSpecificKey<Bool> = {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        return key
    }()

    /// True if the current code runs on the main queue.
    package static var isCurrent: Bool { DispatchQueue.getSpecific(key: key) == true }
}
