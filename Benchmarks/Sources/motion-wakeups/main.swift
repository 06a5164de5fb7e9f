// SPDX-License-Identifier: Apache-2.0

// A program whose wake-ups are counted from outside.
//
//   motion-wakeups idle|single|tenth|batched

import CoreMotion
import Dispatch
import Foundation

let manager = CMMotionManager()
let batches = CMBatchedSensorManager()
switch CommandLine.arguments.dropFirst().first {
case "idle":
    // Stopped updates must not continue.
    manager.startAccelerometerUpdates(to: .main) { _, _ in }
    DispatchQueue.main.asyncAfter(deadline: .now() + 1) { manager.stopAccelerometerUpdates() }
case "batched":
    batches.startAccelerometerUpdates { batch, _ in withExtendedLifetime(batch) {} }
case let mode:
    manager.accelerometerUpdateInterval = mode == "tenth" ? 0.1 : 0.01
    manager.startAccelerometerUpdates(to: .main) { data, _ in withExtendedLifetime(data) {} }
}
RunLoop.main.run()
