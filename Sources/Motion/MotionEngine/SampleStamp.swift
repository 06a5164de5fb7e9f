// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// When a sample was measured: by a clock that may have been set back some times.
struct SampleStamp: Sendable, Hashable, Comparable {
    /// How often the clock has been set back.
    var epoch: Int32
    /// What the clock said.
    var time: BootTime

    static func < (left: SampleStamp, right: SampleStamp) -> Bool {
        left.epoch == right.epoch ? left.time < right.time : left.epoch < right.epoch
    }
}
