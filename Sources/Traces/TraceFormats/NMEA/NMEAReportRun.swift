// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import NMEAFormat

/// Successive reports of one time of the receiver's clock.
///
/// A receiver that measures more often than its times show gives several positions one time. They are spread over the time
/// to the next report, at most a second, in their order.
struct NMEAReportRun {
    /// A report, the number of its line, and its distance in nanoseconds from the time that the receiver gave.
    struct Entry {
        var report: NMEAReport
        var line: Int
        var shift: Int64 = 0
    }

    /// The maximum number of reports; a longer run is divided.
    private static let maximumCount = 16_384
    private static let longestInterval: Int64 = 1_000_000_000

    private var entries: [Entry] = []
    private var clock: Int64?

    /// True when that report begins another run.
    func isEnded(by report: NMEAReport) -> Bool {
        !entries.isEmpty && (report.clock == nil || report.clock != clock || entries.count >= Self.maximumCount)
    }

    mutating func append(_ report: NMEAReport, line: Int) {
        clock = report.clock
        entries.append(Entry(report: report, line: line))
    }

    /// Removes and returns all reports.
    ///
    /// - Parameter next: The time of the next report; nil when it has none, or none follows.
    mutating func removeAll(before next: Int64?) -> [Entry] {
        defer { entries.removeAll(keepingCapacity: true) }
        guard entries.count > 1, let clock else { return entries }
        let (slots, count) = slots()
        guard count > 1 else { return entries }
        let gap = next.map { $0.subtractingSaturated(clock) } ?? Self.longestInterval
        let interval = gap > 0 ? min(gap, Self.longestInterval) : Self.longestInterval
        for index in entries.indices { entries[index].shift = interval / Int64(count) * Int64(slots[index]) }
        return entries
    }

    /// For each report the position that it belongs to, and the number of positions. Satellites stand before their position
    /// and directions behind it.
    private func slots() -> (slots: [Int], count: Int) {
        var slots = entries.map { _ in 0 }
        var last: PositionReport?
        var slot = 0
        var firstSky: Int?
        for (index, entry) in entries.enumerated() {
            switch entry.report.contents {
            case .attitude: break
            case .sky: firstSky = firstSky ?? index
            case .position(let position):
                if let last, entry.report.isRepeated, position.isElsewhere(than: last) { slot += 1 }
                if position.receiver.isEmpty, position.hasFix { last = position }
                if let firstSky { for earlier in firstSky..<index { slots[earlier] = slot } }
                firstSky = nil
            }
            slots[index] = slot
        }
        return (slots, slot + 1)
    }
}

extension PositionReport {
    /// True for another measurement of a receiver without a name.
    fileprivate func isElsewhere(than other: PositionReport) -> Bool {
        receiver.isEmpty && hasFix
            && (latitude != other.latitude || longitude != other.longitude
                || [\.altitudeMSL, \.speed, \.track].contains { (value: KeyPath<PositionReport, Double>) in
                    !self[keyPath: value].isNaN && self[keyPath: value] != other[keyPath: value]
                })
    }
}
