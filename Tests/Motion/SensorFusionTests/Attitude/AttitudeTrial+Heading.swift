// SPDX-License-Identifier: Apache-2.0

import Foundation
import SensorFusion

extension AttitudeTrial {
    /// Returns the heading error over the samples of the second half in degrees, as defined by BROAD: e = q · q_true*,
    /// 2·atan |z / w|.
    func headingError(_ attitudes: [Quaternion], from: Double = 0.5) -> Double {
        var squares = 0.0
        var count = 0.0
        for truth in truth where Double(truth.row) >= from * Double(rates.count) {
            let error = attitudes[truth.row] * truth.attitude.conjugate
            let heading = 2 * atan2(abs(error.z), abs(error.w)) * 180 / .pi
            squares += heading * heading
            count += 1
        }
        return (squares / count).squareRoot()
    }
}
