// SPDX-License-Identifier: Apache-2.0

/// Recognizes the times of a logger whose clock had not been set.
///
/// Loggers write zero, or the time since power-on as a time of 1970, until they have received the time.
enum UnsetClock {
    /// 6 January 1980, before which no receiver gave a time, in nanoseconds since 1970.
    static let gpsEpoch: Int64 = 315_964_800_000_000_000

    /// True for the time of a clock that was not set.
    ///
    /// - Parameters:
    ///   - time: Nanoseconds since 1970.
    ///   - isSetLater: True if the recording has times since ``gpsEpoch`` too. Otherwise only the first second of 1970
    ///     counts as unset: other times still give the intervals.
    static func produced(_ time: Int64, isSetLater: Bool) -> Bool {
        isSetLater ? time < gpsEpoch : (0..<1_000_000_000).contains(time)
    }

    /// The message about such a time, as a clause.
    static let message = "is from a clock that was not set and was ignored"
}
