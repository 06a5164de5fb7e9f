// SPDX-License-Identifier: Apache-2.0

/// Detects times of a logger whose clock had not been set.
///
/// Until they receive the time, loggers write zero, or the time since power-on as a time in 1970.
enum UnsetClock {
    /// 6 January 1980 in nanoseconds since 1970. No receiver reports an earlier time.
    static let gpsEpoch: Int64 = 315_964_800_000_000_000

    /// Whether a time is from a clock that was not set.
    ///
    /// - Parameters:
    ///   - time: The time in nanoseconds since 1970.
    ///   - isSetLater: True if the recording also contains times after ``gpsEpoch``. Otherwise only the first second of
    ///     1970 counts as unset, because other times still have correct intervals.
    static func produced(_ time: Int64, isSetLater: Bool) -> Bool {
        isSetLater ? time < gpsEpoch : (0..<1_000_000_000).contains(time)
    }

    /// The remark about an unset time, as a clause.
    static let message = "is from a clock that was not set, and was ignored"
}
