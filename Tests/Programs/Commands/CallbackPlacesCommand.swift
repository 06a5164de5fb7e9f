// SPDX-License-Identifier: Apache-2.0

import CoreLocation
import Dispatch
import Synchronization
import SystemCalls

/// Creates a manager on the executor named by the argument, prints the executor of its callbacks, stops at the fifth
/// location, and continues for one second to detect late callbacks.
enum CallbackPlacesCommand {
    private static let worker = Mutex<Thread?>(nil)
    private static let queueKey = DispatchSpecificKey<String>()
    private static let tracker = Mutex<Tracker?>(nil)

    static func run(_ place: String?) {
        let queue = DispatchQueue(label: "own")
        queue.setSpecific(key: queueKey, value: "own queue")
        DispatchQueue.main.setSpecific(key: queueKey, value: "main queue")
        switch place {
        case "mainRunLoop":
            start()
            RunLoop.main.run()
        case "dispatchMain":
            start()
            dispatchMain()
        case "mainQueue":
            // Created on the main queue, after the main thread has ended.
            DispatchQueue.main.async { start() }
            dispatchMain()
        case "thread":
            let thread = Thread {
                worker.withLock { $0 = Thread.current }
                start()
                // The run loop continues only because of the manager.
                RunLoop.current.run()
                show("run loop ended")
            }
            thread.start()
            dispatchMain()
        case "task":
            Task.detached { start() }
            dispatchMain()
        case "queue":
            DispatchQueue.global().async { start() }
            dispatchMain()
        case "delegateQueue":
            start(on: queue)
            dispatchMain()
        default:
            show("unknown place")
            exit(2)
        }
    }

    private static func start(on queue: DispatchQueue? = nil) {
        let new = Tracker(queue: queue)
        // A manager does not retain its delegate.
        tracker.withLock { $0 = new }
        new.start()
    }

    /// Prints a line immediately.
    fileprivate static func show(_ text: String) {
        FileHandle.standardOutput.write(Data((text + "\n").utf8))
    }

    /// Returns the name of the current executor.
    fileprivate static func place() -> String {
        if Thread.isMainThread { return "main thread" }
        // After dispatchMain() any thread may serve the main queue.
        if let name = DispatchQueue.getSpecific(key: queueKey) { return name }
        if Thread.current === worker.withLock({ $0 }) { return "thread" }
        return withUnsafeCurrentTask { $0 != nil } ? "task" : "elsewhere"
    }
}

private final class Tracker: NSObject, CLLocationManagerDelegate, @unchecked Sendable {
    private let manager: CLLocationManager
    private let startingThread = Mutex<Thread?>(nil)
    private var locations = 0
    private var hasStopped = false
    private let isInside = Atomic<Bool>(false)

    init(queue: DispatchQueue? = nil) {
        manager = CLLocationManager()
        manager.delegateQueue = queue
        super.init()
        manager.delegate = self
    }

    func start() {
        startingThread.withLock { $0 = Thread.current }
        manager.startUpdatingLocation()
        startingThread.withLock { $0 = nil }
    }

    func locationManager(_ manager: CLLocationManager, didUpdateLocations: [CLLocation]) { called("location") }

    func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) { called("error") }

    func locationManagerDidChangeAuthorization(_ manager: CLLocationManager) { called("authorization") }

    private func called(_ what: String) {
        let show = CallbackPlacesCommand.show
        if isInside.exchange(true, ordering: .sequentiallyConsistent) { show("overlap") }
        defer { isInside.store(false, ordering: .sequentiallyConsistent) }
        // On another thread a callback may arrive before start() has returned.
        let isInStart = startingThread.withLock { $0 } === Thread.current
        show(
            "\(what) \(CallbackPlacesCommand.place())\(isInStart ? " inside start" : "")\(hasStopped ? " after stop" : "")"
        )
        guard what == "location", !hasStopped else { return }
        locations += 1
        guard locations == 5 else { return }
        manager.stopUpdatingLocation()
        hasStopped = true
        // Leaves one second for pending callbacks.
        DispatchQueue.global().asyncAfter(deadline: .now() + 1) {
            show("end")
            exit(0)
        }
    }
}
