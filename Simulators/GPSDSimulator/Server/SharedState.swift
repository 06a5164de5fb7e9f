// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import LoopbackServer
import Synchronization

/// What the server's thread and all others share.
final class SharedState: ServiceState {
    struct Content {
        var faults: [GPSDFault] = []
        var isStopped = false
        var clientCount = 0
        var reportCount: Int64 = 0
        var lostCount: Int64 = 0
        var hasPlayed = false
    }

    let content = Mutex(Content())
    let wakeUp: WakeUp
    private let observers = Observers()

    /// - Parameter owner: who has the thread, in the words of an error.
    init(for owner: String) throws(DeviceError) { wakeUp = try WakeUp(for: owner) }

    var isStopped: Bool { content.withLock { $0.isStopped } }

    /// Changes it, and has those that wait look again.
    func change(_ body: (inout Content) -> Void) {
        content.withLock { body(&$0) }
        observers.tell()
    }

    /// Has the thread do something.
    func order(_ body: (inout Content) -> Void) {
        change(body)
        wakeUp.signal()
    }

    func stop() { order { $0.isStopped = true } }

    func wait(seconds: Double, until condition: (borrowing Content) -> Bool) -> Bool {
        observers.wait(seconds: seconds) { content.withLock { condition($0) } }
    }
}
