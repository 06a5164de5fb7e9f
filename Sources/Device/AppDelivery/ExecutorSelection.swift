// SPDX-License-Identifier: Apache-2.0

package import DeviceCore
package import Dispatch
package import Foundation
import Logging

/// Chooses the executor of a manager's callbacks from the context in which the manager is created.
///
/// - The main thread or the main queue: the main queue, which works with `RunLoop.main.run()`, `dispatchMain()` and an
///   async `main`.
/// - A task, or a dispatch queue other than the main queue: a private serial queue, because no run loop runs there.
/// - Any other thread: the run loop of that thread, in the common modes.
///
/// While a trace is played back, the player runs the callbacks itself, unless it delivers as on live hardware.
package enum ExecutorSelection {
    private static let log = Logger(label: "device-services.delivery")
    private static let privateQueueNotice: Void = log.notice(
        "A manager was created in a task or on a dispatch queue, where no run loop runs, so its callbacks run on a private serial queue. To choose another executor, create the manager on the main thread or set delegateQueue."
    )

    package static func forCurrentContext(device: Device) -> any CallbackExecutor {
        select(isMain: Thread.isMainThread || MainQueueContext.isCurrent, device: device) {
            // Uses a run loop source instead of `RunLoop.perform`, which never wakes a sleeping run loop on Linux. As
            // on Apple's platforms, the source also keeps the run loop of a thread without other sources running while
            // the manager exists.
            if isOnDedicatedThread { return RunLoopExecutor(loop: .current, mode: .common) }
            _ = privateQueueNotice
            return QueueDelivery(DispatchQueue(label: "device-services.callbacks"))
        }
    }

    package static func executor(for queue: DispatchQueue, device: Device) -> any CallbackExecutor {
        // On Linux, each access to `DispatchQueue.main` returns another object. Only the label identifies the queue.
        let isMain = queue === DispatchQueue.main || queue.label == DispatchQueue.main.label
        return select(isMain: isMain, device: device) { QueueDelivery(queue) }
    }

    /// Returns the executor of handlers that are delivered on an operation queue.
    ///
    /// Handlers on live hardware run on the queue and respect its suspension and its maximum number of operations.
    /// While a trace is played back, the player runs the handlers itself, those for `OperationQueue.main` like those
    /// for the main thread, unless it delivers as on live hardware.
    package static func executor(for queue: OperationQueue, device: Device) -> any CallbackExecutor {
        // On Linux the main operation queue cannot be suspended, so the main dispatch queue can be used instead.
        select(isMain: queue === OperationQueue.main, device: device) { OperationQueueExecutor(queue) }
    }

    private static func select(isMain: Bool, device: Device, otherwise: () -> any CallbackExecutor)
        -> any CallbackExecutor
    {
        if let playback = device.playback, !playback.usesLiveExecutors {
            return playback.executor(onMainThread: isMain)
        }
        let delivery: any CallbackExecutor = isMain ? MainQueueExecutor.shared : otherwise()
        return device.playback?.counting(delivery) ?? delivery
    }

    /// True on a thread that the app created. False in a task and on the worker threads of Dispatch.
    private static var isOnDedicatedThread: Bool {
        if withUnsafeCurrentTask(body: { $0 != nil }) { return false }
        // `isExecuting` is true on Foundation's threads. A thread created with pthread_create(3) runs no dispatch
        // queue.
        return Thread.current.isExecuting || !isOnDispatchQueue
    }

    /// True on a worker thread of Dispatch.
    ///
    /// On other threads, Dispatch returns the label of its default overcommit root queue, which Swift code cannot use.
    private static var isOnDispatchQueue: Bool {
        guard let label = queueLabel(nil) else { return false }
        return String(cString: label) != "com.apple.root.default-qos.overcommit"
    }
}

/// The C function of Dispatch, because the Swift overlay cannot query the current queue.
@_silgen_name("dispatch_queue_get_label")
private func queueLabel(_ queue: OpaquePointer?) -> UnsafePointer<CChar>?
