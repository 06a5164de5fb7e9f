// SPDX-License-Identifier: Apache-2.0

import Foundation
@preconcurrency import CoreMotion
import Synchronization

// Compiles without errors or warnings with Apple's modules, which are in Swift 5 mode, and must do so with these
// modules.

/// Collects the motions that a handler receives.
final class MotionStore: Sendable {
    let motions = Mutex<[CMDeviceMotion]>([])

    func start(_ manager: CMMotionManager) {
        manager.startDeviceMotionUpdates(to: OperationQueue()) { motion, _ in
            if let motion { self.motions.withLock { $0.append(motion) } }
        }
    }
}

/// Owns a manager on the main actor that is also used outside it.
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
