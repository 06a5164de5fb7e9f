// SPDX-License-Identifier: Apache-2.0

enum RegionEvent: Sendable {
    case started(CLRegion)
    case failed(CLRegion, CLError)
    case determined(CLRegion, CLRegionState)
    /// A change in a region's state. The change is discarded if the region is no longer monitored or has been replaced.
    case changed(RegionChange)
}

struct RegionChange: Sendable {
    let watch: RegionEngine.WatchID
    /// A number that increases with each change. It identifies the latest change, because managers may deliver changes
    /// in different orders.
    let number: UInt64
    /// A copy of the region. Each manager receives its own copy, because the app may modify it.
    let region: CLRegion
    let state: CLRegionState
    /// The time at which this state began, in seconds since 2001-01-01T00:00:00Z.
    let timestamp: Double
    /// Whether to report an entry. If the device is already inside when monitoring starts, no entry is reported.
    let isEntry: Bool
    let isExit: Bool
}
