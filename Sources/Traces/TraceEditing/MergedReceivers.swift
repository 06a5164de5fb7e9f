// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import GPSDProtocol
import Trace

/// The names of the receivers in a merged trace. Two receivers never have the same name if their reporting periods
/// overlap.
///
/// If one receiver sends its last report before the other sends its first, both may keep the same name.
struct MergedReceivers {
    /// The new names of renamed receivers, per trace.
    private(set) var names: [[String: String]]
    private(set) var remarks: [String] = []
    private var periods: [String: [MergeInputSummary.Span]] = [:]

    init(_ summaries: [MergeInputSummary], files: [String]) {
        names = summaries.map { _ in [:] }
        for (index, summary) in summaries.enumerated() {
            if summary.exceedsMaximum, summaries.count(where: { !$0.receivers.isEmpty }) > 1 {
                remarks.append(
                    "\(files[index]) has more than \(MergeInputSummary.maximumReceivers) receivers. The remaining receivers keep their names, even if another trace contains the same names."
                )
            }
            // Named receivers are processed first, because reports without a receiver name may be assigned to one of
            // them.
            for (path, span) in summary.receivers.sorted(by: { $0.key > $1.key }) {
                let name =
                    path.isEmpty
                    ? name(ofUnnamed: span, in: index, summaries) : unusedName(path, span, number: index + 1)
                periods[name, default: []].append(span)
                guard name != path else { continue }
                names[index][path] = name
                remarks.append(
                    path.isEmpty
                        ? "The unnamed receiver of \(files[index]) was named \(name)."
                        : "The receiver \(path) of \(files[index]) was renamed to \(name), because another receiver is named \(path)."
                )
            }
        }
    }

    /// Returns the receiver name to add to a trace's reports that name no receiver. Returns an empty string if no name
    /// is needed, because no other trace has reports from the same period.
    private func name(ofUnnamed span: MergeInputSummary.Span, in index: Int, _ summaries: [MergeInputSummary]) -> String
    {
        let isUnambiguous = summaries.enumerated().allSatisfy { other, summary in
            other == index || !summary.receivers.values.contains { $0.overlaps(span) }
        }
        if isUnambiguous { return "" }
        let others = summaries[index].receivers.keys.filter { !$0.isEmpty }
        if others.count == 1, let other = others.first { return names[index][other] ?? other }
        return unusedName("receiver-\(index + 1)", span, number: index + 1)
    }

    /// Returns a name that no receiver uses during the period: the given name, or a name derived from it.
    private func unusedName(_ path: String, _ span: MergeInputSummary.Span, number: Int) -> String {
        var name = path
        while periods[name]?.contains(where: { $0.overlaps(span) }) == true { name += "-\(number)" }
        return name
    }
}

/// The properties of a trace that may conflict with those of other traces in a merge.
struct MergeInputSummary {
    /// A receiver's reporting period, in nanoseconds since the start of the merged trace.
    struct Span: Equatable {
        var first: Int64
        var last: Int64

        /// True if the periods overlap or are equal. Periods that share only a boundary do not overlap.
        func overlaps(_ other: Span) -> Bool { self == other || (first < other.last && other.first < last) }
    }

    static let maximumReceivers = 256
    /// The reporting periods by receiver path. The path is empty for reports without a receiver name.
    private(set) var receivers: [String: Span] = [:]
    private(set) var exceedsMaximum = false
    private(set) var hasBattery: Bool
    private(set) var lossCount = 0

    /// Examines a trace. `offset` is added to its times.
    init(_ trace: TraceFile, _ header: TraceHeader, offset: Int64) {
        hasBattery = header.battery != nil
        var reading = TimedEventReader(trace)
        var decoder = GPSDDecoder()
        while let event = reading.next() {
            switch event.contents {
            case .gpsd(let line):
                let time = (event.time ?? 0).addingSaturated(offset)
                if let path = line.withUnsafeBytes({ decoder.decode($0) }).receiver { recordReceiver(path, at: time) }
            case .battery: hasBattery = true
            case .lost: lossCount += 1
            default: break
            }
        }
    }

    private mutating func recordReceiver(_ path: String, at time: Int64) {
        if receivers[path] != nil {
            receivers[path]?.last = time
        } else if receivers.count < Self.maximumReceivers {
            receivers[path] = Span(first: time, last: time)
        } else {
            exceedsMaximum = true
        }
    }
}
