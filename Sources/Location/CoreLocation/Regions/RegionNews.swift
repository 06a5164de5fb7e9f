// SPDX-License-Identifier: Apache-2.0

/// What a manager tells of regions.
enum RegionNews: Sendable {
    case started(CLRegion)
    case failed(CLRegion, CLError)
    /// An answer to the program.
    case determined(CLRegion, CLRegionState)
    /// The state of a region is another one. Nobody is told once the region is not monitored any more, or anew.
    case changed(RegionChange)
}

/// What becomes known of a region that is monitored.
struct RegionChange: Sendable {
    let watch: RegionEngine.Watch
    /// Later changes have higher numbers: a manager may hear of one after another has heard of the next.
    let number: UInt64
    /// For the program of one manager, which may change it.
    let region: CLRegion
    let state: CLRegionState
    /// Since when: seconds since 2001-01-01T00:00:00Z.
    let timestamp: Double
    /// To be inside from the start is no entry.
    let isEntry: Bool
    let isExit: Bool
}

/// A manager, as far as regions know one.
protocol RegionListener: AnyObject, Sendable {
    /// What the program uses the position for.
    var purpose: String? { get }
    /// Has the program told, after all that waits.
    func tell(_ news: RegionNews)
}
