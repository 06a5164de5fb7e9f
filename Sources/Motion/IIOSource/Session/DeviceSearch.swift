// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// The times at which a context is searched for devices that have been added or removed.
struct DeviceSearch {
    /// The names of the devices when the context was opened; nil if the library cannot list them without opening it.
    private(set) var presence: [String]?
    /// The time of the next search.
    private(set) var time = BootTime.zero
    /// The time at which the context is opened again because it showed other devices than were listed; nil if they agreed.
    private(set) var recheckTime: BootTime?

    /// Records the devices that are listed before the context is opened.
    mutating func begin(presence: [String]?) { self.presence = presence }

    /// Records the devices of the context that was opened.
    mutating func finish(shown: [String], recheckTime: BootTime) {
        self.recheckTime = presence.map { $0 != shown } ?? false ? recheckTime : nil
    }

    /// Records that the context could not be opened and is tried again at that time.
    mutating func fail(retryTime: BootTime) {
        if recheckTime != nil { recheckTime = retryTime }
    }

    mutating func schedule(at time: BootTime) { self.time = time }

    /// True if the devices that are present differ from those of the context, or may.
    func isOutdated(present: [String], now: BootTime) -> Bool {
        present != presence || recheckTime.map { now >= $0 } ?? false
    }

    /// The time of the next search. A context whose devices cannot be listed has to be opened for it.
    func deadline(openingTime: BootTime) -> BootTime { presence == nil ? max(time, openingTime) : time }
}
