// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// What a program wants of a GPX file, which may hold several ways.
public struct GPXOptions: Sendable, Hashable {
    /// The lists of points that a GPX file has.
    public enum Content: String, Sendable, CaseIterable {
        /// `trk`: where somebody was.
        case tracks
        /// `rte`: where somebody wants to go.
        case routes
        /// `wpt`: single places; Xcode plays them as a way.
        case waypoints
    }

    /// Which points to take; nil for the tracks, or else the routes, or else the waypoints.
    public var content: Content?
    /// The one track or route to take, counted from 1 in the order of the file; nil for all, in the order of time.
    public var number: Int?
    /// How fast points without times follow one another, in metres per second along the shortest path; nil to put them
    /// one second apart, as Xcode does.
    public var speed: Double?
    /// Whether course, speed and climb that the file does not say are derived from the positions.
    public var derivesMotion = true

    /// Options that leave everything to the file, but for those that are given.
    public init(
        content: Content? = nil, number: Int? = nil, speed: Double? = nil, derivesMotion: Bool = true
    ) {
        self.content = content
        self.number = number
        self.speed = speed
        self.derivesMotion = derivesMotion
    }
}
