// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import JSONBytes

/// What `list` prints.
struct MachineReport {
    let configuration: Configuration
    let answer: ServiceProbe.Answer

    /// The traits of the package that this program was built with.
    static var traits: [String] {
        #if LibGPS
        ["LibGPS"]
        #else
        []
        #endif
    }
}
