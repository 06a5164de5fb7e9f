// SPDX-License-Identifier: Apache-2.0

/// What a manager tells of regions.
enum RegionNews: Sendable {
    case started(CLRegion)
    case failed(CLRegion, CLError)
    case determined(CLRegion, CLRegionState)
    case entered(CLRegion)
    case left(CLRegion)
    /// The program has heard of what came before.
    case told(@Sendable () -> Void)
}

/// A manager, as far as regions know one.
protocol RegionListener: AnyObject, Sendable {
    /// What the program uses the position for.
    var purpose: String? { get }
    /// Has the program told, after all that waits.
    func tell(_ news: RegionNews)
}
