// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// What a program wants of a file of positions: GPX, KML or GeoJSON.
public struct PathExportOptions: Sendable, Hashable {
    /// The forms of GPX.
    public enum GPXForm: String, Sendable, CaseIterable {
        /// A track with all that GPX holds.
        case track
        /// Waypoints with times in whole seconds, one for each, as Xcode and simulators of phones play them.
        case xcode
    }

    /// Whether a file that is there may be replaced.
    public var overwrite = false
    /// The path of the receiver whose positions are written; nil for that of the first fix.
    public var receiver: String?
    /// What the way is called; empty for nothing.
    public var name = ""
    /// The form of GPX; other formats pass it over.
    public var gpxForm = GPXForm.track

    /// Options for a track of the first receiver, but for those that are given.
    public init(
        overwrite: Bool = false, receiver: String? = nil, name: String = "", gpxForm: GPXForm = .track
    ) {
        self.overwrite = overwrite
        self.receiver = receiver
        self.name = name
        self.gpxForm = gpxForm
    }
}
