// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// The schedule of the searches for devices that were added to a context or removed from it.
struct DeviceSearch {
    /// The names of the devices when the context was opened; nil if the library cannot list them without opening it.
    private(set) var presence: [String]?
    private(set) var time = BootTime.zero
    /// The time at which the context is opened again because its devices differed from the listed ones; nil if they
    /// were the same.
    private(set) var recheckTime: BootTime?

    /// Records the devices that were listed before the context is opened.
    mutating func begin(presence: [String]?) { self.presence = presence }

    mutating func finish(shown: [String], recheckTime: BootTime) {
        self.recheckTime = presence.map { $0 != shown } ?? false ? recheckTime : nil
    }

    /// Records that the context could not be opened, and the time of the next attempt.
    mutating func fail(retryTime: BootTime) { if recheckTime != nil { recheckTime = retryTime } }

    mutating func schedule(at time: BootTime) { self.time = time }

    func isOutdated(present: [String], now: BootTime) -> Bool {
        present != presence || recheckTime.map { now >= $0 } ?? false
    }

    /// Returns the time of the next search. If devices cannot be listed, a search has to open the context.
    func deadline(openingTime: BootTime) -> BootTime { presence == nil ? max(time, openingTime) : time }
}
