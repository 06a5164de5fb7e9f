// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

internal import DeviceCore

/// Batches in a row that came much later after their stamps than usual.
///
/// A reader that was held up catches up, so their delay shrinks. When it stays the same the clock of the stamps stood
/// still, as one that does not count suspend does, or was set back a little at a time.
struct LateRun: Sendable {
    private var count = 0
    private var started: Int64 = 0
    private var least: Int64 = .max
    private var greatest: Int64 = .min

    private static let much: Int64 = 1_000_000_000
    private static let steady: Int64 = 250_000_000
    private static let duration: Int64 = 500_000_000

    /// Notes a batch; true when the delay is there to stay.
    mutating func isLasting(behind: Int64, usual: Int64, arrival: Int64) -> Bool {
        guard behind > usual.addingSaturated(Self.much) else {
            if count > 0 { self = LateRun() }
            return false
        }
        if count == 0 { started = arrival }
        count += 1
        least = min(least, behind)
        greatest = max(greatest, behind)
        guard greatest.subtractingSaturated(least) < Self.steady else {
            self = LateRun()
            return false
        }
        return count >= 8 && arrival.subtractingSaturated(started) >= Self.duration
    }
}
