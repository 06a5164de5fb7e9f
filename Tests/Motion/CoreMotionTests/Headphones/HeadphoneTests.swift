// SPDX-License-Identifier: Apache-2.0

import CoreMotion
import Foundation
import Synchronization
import Testing

@Suite("CMHeadphoneMotionManager", .timeLimit(.minutes(1)))
struct HeadphoneTests {
    private final class Delegate: NSObject, CMHeadphoneMotionManagerDelegate {}

    @Test("Headphone motion is unavailable and does not become active")
    func unavailable() {
        let manager = CMHeadphoneMotionManager()
        let delegate = Delegate()
        manager.delegate = delegate
        #expect(!manager.isDeviceMotionAvailable && !manager.isDeviceMotionActive && manager.deviceMotion == nil)
        manager.startDeviceMotionUpdates()
        #expect(!manager.isDeviceMotionActive && manager.deviceMotion == nil)
        manager.startConnectionStatusUpdates()
        #expect(manager.isConnectionStatusActive)
        manager.stopConnectionStatusUpdates()
        #expect(!manager.isConnectionStatusActive)
        #expect(CMHeadphoneMotionManager.authorizationStatus() == .authorized)
    }

    @Test("A handler is called once with CMErrorNotAvailable, on its queue")
    func handler() async {
        let manager = CMHeadphoneMotionManager()
        let queue = OperationQueue()
        let error: NSError? = await withCheckedContinuation { continuation in
            manager.startDeviceMotionUpdates(to: queue) { @Sendable motion, error in
                #expect(motion == nil && OperationQueue.current === queue)
                continuation.resume(returning: error as NSError?)
            }
        }
        #expect(error?.domain == CMErrorDomain)
        #expect(error?.code == Int(CMErrorNotAvailable.rawValue))
    }

    @Test("A handler is not called after updates are stopped")
    func stopped() {
        let manager = CMHeadphoneMotionManager()
        let queue = OperationQueue()
        queue.isSuspended = true
        let calls = Atomic(0)
        manager.startDeviceMotionUpdates(to: queue) { @Sendable _, _ in calls.add(1, ordering: .relaxed) }
        manager.stopDeviceMotionUpdates()
        queue.isSuspended = false
        queue.waitUntilAllOperationsAreFinished()
        #expect(calls.load(ordering: .relaxed) == 0)
    }
}
