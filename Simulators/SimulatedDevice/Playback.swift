// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Trace

/// How far a trace has been played.
struct Playback {
    var feed: TraceFeed
    let file: TraceFile
    /// The event that comes next, read ahead because it decides how far the clock may go.
    var upcoming: TraceFeed.Event?
    var isAtEnd = false
    /// True while somebody plays: a second call, as from a callback, does nothing.
    var isPlaying = false

    init(feed: TraceFeed, file: TraceFile) {
        self.feed = feed
        self.file = file
    }

    /// Reads ahead when nothing has been read yet; nil at the end.
    mutating func peek() -> BootTime? {
        if upcoming == nil, !isAtEnd {
            upcoming = feed.next()
            isAtEnd = upcoming == nil
        }
        return upcoming?.time
    }

    /// Takes the event that comes next.
    mutating func take() -> TraceFeed.Event? {
        defer { upcoming = nil }
        return upcoming
    }
}
