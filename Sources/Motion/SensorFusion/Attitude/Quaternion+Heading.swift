// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import SystemCalls

extension Quaternion {
    /// A turn about the z axis, in radians, counterclockwise as seen from above.
    public init(aboutZ angle: Double) {
        self.init(x: 0, y: 0, z: sin(angle / 2), w: cos(angle / 2))
    }
}
