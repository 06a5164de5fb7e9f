// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation

extension CLError {
    /// An error of a device, which stays reachable as the underlying error.
    init(_ code: Code, cause: DeviceError?) {
        guard let cause else {
            self.init(code)
            return
        }
        self.init(code, userInfo: [NSUnderlyingErrorKey: cause, NSLocalizedDescriptionKey: cause.description])
    }
}
