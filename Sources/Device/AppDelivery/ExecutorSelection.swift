// SPDX-License-Identifier: Apache-2.0

package import DeviceCore
package import Dispatch
package import Foundation
import Logging

/// Selects the executor for a manager's callbacks. The choice depends on where the manager is created:
///
/// - Main thread or main queue: the main queue, which works with `RunLoop.main.run()`, `dispatchMain()` and an async
///   `main`.
/// - Task or any other dispatch queue: a private serial queue, because no run loop runs there.
/// - Any other thread: that thread's run loop, in the common modes.
///
/// During playback of a trace, the player runs the callbacks itself, unless playback uses the live executors.
package enum ExecutorSelection {
    private static let log = Logger(label: "device-services.delivery")
    /// Logs a notice on first access, and thus only once.
    private static let privateQueueNotice: Void = log.notice(
        "A manager was created in a task or on a dispatch queue, where no run loop runs, so its callbacks run on a private serial queue. To choose another executor, create the manager on the main thread or set delegateQueue."
    )

    package static func forCurrentContext(device: Device) -> any CallbackExecutor {
        select(isMain: Thread.isMainThread || MainQueueContext.isCurrent, device: device) {
            // On Linux, `RunLoop.perform` does not wake a sleeping run loop, so `RunLoopExecutor` uses a source. As on
            // Apple platforms, the source keeps the run loop running while the manager exists.
            if isOnDedicatedThread { return RunLoopExecutor(loop: .current, mode: .common) }
            _ = privateQueueNotice
            return DispatchQueueExecutor(DispatchQueue(label: "device-services.callbacks"))
        }
    }

    package static func executor(for queue: DispatchQueue, device: Device) -> any CallbackExecutor {
        // On Linux, each access to `DispatchQueue.main` returns a new object, so comparing the objects is not enough.
        // The labels are compared too.
        let isMain = queue === DispatchQueue.main || queue.label == DispatchQueue.main.label
        return select(isMain: isMain, device: device) { DispatchQueueExecutor(queue) }
    }

    /// Returns an executor that respects the queue's `isSuspended` and `maxConcurrentOperationCount` properties. During
    /// playback, the player runs the handlers itself, unless playback uses the live executors.
    package static func executor(for queue: OperationQueue, device: Device) -> any CallbackExecutor {
        // On Linux, the main operation queue cannot be suspended, so the main dispatch queue can be used in its place.
        select(isMain: queue === OperationQueue.main, device: device) { OperationQueueExecutor(queue) }
    }

    private static func select(isMain: Bool, device: Device, otherwise: () -> any CallbackExecutor)
        -> any CallbackExecutor
    {
        if let playback = device.playback, !playback.usesLiveExecutors {
            return playback.executor(onMainThread: isMain)
        }
        let executor: any CallbackExecutor = isMain ? MainQueueExecutor.shared : otherwise()
        // With live executors, playback waits until the work forwarded to them has run.
        return device.playback?.counting(executor) ?? executor
    }

    /// True on threads created by the app. False in tasks and on Dispatch worker threads.
    private static var isOnDedicatedThread: Bool {
        if withUnsafeCurrentTask(body: { $0 != nil }) { return false }
        // `isExecuting` is true only on threads created with Foundation. Threads created with pthread_create(3) are
        // recognized because they run no dispatch queue.
        return Thread.current.isExecuting || !isOnDispatchQueue
    }

    /// True on Dispatch worker threads. On a thread that runs no queue, `dispatch_queue_get_label` returns the label of
    /// Dispatch's default overcommit root queue. Swift code cannot use that queue, so its label always means that the
    /// thread runs no queue.
    private static var isOnDispatchQueue: Bool {
        guard let label = queueLabel(nil) else { return false }
        return String(cString: label) != "com.apple.root.default-qos.overcommit"
    }
}

/// Declares a C function of Dispatch, because the Swift overlay cannot query the current queue.
@_silgen_name("dispatch_queue_get_label")
private func queueLabel(_ queue: OpaquePointer?) -> UnsafePointer<CChar>?
