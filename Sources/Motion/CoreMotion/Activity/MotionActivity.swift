// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Why there are no activities and steps.
enum MotionActivity {
    static var notAvailable: NSError {
        CMErrorMotionActivityNotAvailable.error(
            "Steps and activities are not available: nothing on this machine tells them.")
    }
}
