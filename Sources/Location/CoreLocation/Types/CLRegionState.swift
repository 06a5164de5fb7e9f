// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// Where the device is with respect to a region.
public enum CLRegionState: Int, Sendable {
    /// There is no position to tell from.
    case unknown = 0

    /// Inside the region.
    case inside = 1

    /// Outside the region.
    case outside = 2
}
