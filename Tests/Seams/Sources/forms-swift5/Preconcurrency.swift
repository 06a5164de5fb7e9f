// SPDX-License-Identifier: Apache-2.0

import Foundation
@preconcurrency import CoreMotion
import Synchronization

// What Apple's modules never raise, which are in Swift 5 mode: nothing here gives an error or a warning.

/// Collects what a handler gets.
final class MotionStore: Sendable {
    let motions = Mutex<[CMDeviceMotion]>([])

    func start(_ manager: CMMotionManager) {
        manager.startDeviceMotionUpdates(to: OperationQueue()) { motion, _ in
            if let motion { self.motions.withLock { $0.append(motion) } }
        }
    }
}

/// Has a manager on the main actor, which others ask too.
@MainActor final class MotionModel {
    let manager = CMMotionManager()
    var last: CMAcceleration?

    func begin() {
        manager.startAccelerometerUpdates(to: .main) { data, _ in self.last = data?.acceleration }
    }

    func end() async {
        let manager = manager
        await Task.detached { manager.stopAccelerometerUpdates() }.value
    }

    nonisolated func isActive() async -> Bool { await manager.isAccelerometerActive }
}
