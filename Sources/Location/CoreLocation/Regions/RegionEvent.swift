// SPDX-License-Identifier: Apache-2.0

enum RegionEvent: Sendable {
    case started(CLRegion)
    case failed(CLRegion, CLError)
    case determined(CLRegion, CLRegionState)
    /// A change that is not delivered if the region is no longer monitored or has been replaced.
    case changed(RegionChange)
}

struct RegionChange: Sendable {
    let watch: RegionEngine.WatchID
    /// Increases with each change, because managers may deliver successive changes in a different order.
    let number: UInt64
    /// A copy that the app may modify. Each manager receives its own copy.
    let region: CLRegion
    let state: CLRegionState
    /// The time since which the region has been in this state, in seconds since 2001-01-01T00:00:00Z.
    let timestamp: Double
    /// Whether to report an entry. Being inside when monitoring starts is not an entry.
    let isEntry: Bool
    let isExit: Bool
}
