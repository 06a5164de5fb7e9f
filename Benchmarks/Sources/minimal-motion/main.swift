// SPDX-License-Identifier: Apache-2.0

// The smallest program that uses Core Motion, for measuring size, memory and start time.

import CoreMotion

let manager = CMMotionManager()
manager.startAccelerometerUpdates(to: .main) { data, error in
    if let data { print(data.acceleration.x, data.acceleration.y, data.acceleration.z) }
}
RunLoop.main.run()
