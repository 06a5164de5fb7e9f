// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import SystemCalls

extension IIODFault {
    /// What a device answers that is gone: ENODEV.
    package static var missingDevice: Int32 { ENODEV }
}
