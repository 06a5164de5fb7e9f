// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

extension Tools {
    static let umockdevRun = find("umockdev-run")
    static let iiod = find("iiod")
    static let iioReaddev = find("iio_readdev")

    /// True if the programs under test were built with libiio.
    static let hasLibIIO: Bool = {
        #if LibIIO
        true
        #else
        false
        #endif
    }()

    /// The reasons for skipping tests.
    static let libIIOMissing: Comment = "built without the trait LibIIO"
    static let umockdevMissing: Comment = "umockdev-run is not installed: apt-get install umockdev"
    static let iiodMissing: Comment = "iiod is not installed: apt-get install iiod"
    static let iioUtilsMissing: Comment = "iio_readdev is not installed: apt-get install libiio-utils"

    /// The folder with descriptions and recordings of motion sensors.
    static let motionTraces = traces.deletingLastPathComponent().appendingPathComponent("iio")
}
