// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Trace

/// The parts of a GPX file that are converted to a trace, in output order.
struct GPXSelection {
    private(set) var parts: [GPXSummary.Part]
    /// The civil time at time zero, in nanoseconds since 1970, or nil if no point has a time.
    let start: Int64?
    let isClockSet: Bool
    let needsSorting: Bool
    /// True if the tracks in the file are in chronological order, as ``GPXSinglePassImporter`` requires.
    var isInOrder: Bool {
        let numbers = parts.map(\.number)
        return start != nil && !needsSorting && parts.allSatisfy { $0.content == .tracks }
            && numbers == numbers.sorted()
    }
    /// The error that ended the first pass. Only the points that precede the error are converted.
    let failure: DeviceError?
    private(set) var remarks: [String] = []

    /// Selects parts according to the options. Throws an error if the file contains no points of the selected kind.
    init(_ summary: GPXSummary, _ options: GPXOptions, name: String) throws(DeviceError) {
        failure = summary.failure
        isClockSet = summary.isClockSet
        let partsWithPoints = summary.parts.filter { $0.count > 0 }
        let kinds = GPXOptions.Content.allCases
        guard
            let content = options.content
                ?? kinds.first(where: { kind in partsWithPoints.contains { $0.content == kind } })
        else {
            throw .invalidTrace(
                "\(name) contains no points\(Self.problemDescription(summary))\(summary.diagnostics.isEmpty ? ". Is it the right file?" : "")"
            )
        }
        var chosen = partsWithPoints.filter { $0.content == content }
        guard !chosen.isEmpty else {
            let others = kinds.filter { kind in partsWithPoints.contains { $0.content == kind } }.map(\.rawValue)
            throw .invalidTrace(
                "\(name) contains no \(content.rawValue)\(others.isEmpty ? "" : ", only \(others.joined(separator: " and "))")."
            )
        }
        if let number = options.number {
            guard let part = summary.parts.first(where: { $0.content == content && $0.number == number }) else {
                throw .invalidTrace(
                    "\(name) has no number \(number) among its \(content.rawValue), which are numbered from 1 to \(chosen.last?.number ?? 1)."
                )
            }
            guard part.count > 0 else {
                throw .invalidTrace("Number \(number) of the \(content.rawValue) in \(name) has no points.")
            }
            chosen = [part]
        }
        // If two or more points have times and all of them are equal, they are not measurement times and are ignored.
        let first = chosen.map(\.first).min() ?? .max
        let isOneTime =
            chosen.reduce(0) { $0 + $1.timed } > 1 && chosen.allSatisfy { $0.timed == 0 || $0.last == first }
        let timed = isOneTime ? [] : chosen.filter { $0.timed > 0 }
        var untimed = 0
        if !timed.isEmpty {
            untimed = chosen.count - timed.count
            chosen = timed
        }
        let sorted = timed.enumerated().sorted { ($0.element.first, $0.offset) < ($1.element.first, $1.offset) }.map(
            \.element)
        let overlap = zip(sorted, sorted.dropFirst()).first { $1.first < $0.last }
        needsSorting = overlap != nil || !timed.allSatisfy(\.isOrdered)
        parts = timed.isEmpty ? chosen : needsSorting ? timed : sorted
        start = needsSorting ? timed.map(\.beginning).min() : sorted.first?.beginning

        appendFaultRemarks(summary)
        if isOneTime {
            remarks.append(
                "All points have the time \(CivilDate(WallTime(nanoseconds: first)).iso8601(decimals: 0)), which was ignored."
            )
        }
        appendOmittedContentRemark(partsWithPoints, content)
        let kind = content.rawValue
        if options.number == nil, chosen.count > 1 {
            if let overlap {
                remarks.append(
                    "The \(kind) \(Self.title(overlap.0)) and \(Self.title(overlap.1)) overlap in time, so their points were interleaved. Select one by its number with --track."
                )
            } else {
                remarks.append("\(chosen.count) \(kind) were joined\(timed.isEmpty ? "" : " in chronological order").")
            }
        }
        if let part = timed.first(where: { !$0.isOrdered }) {
            let points = content == .waypoints ? "waypoints" : "points of \(kind.dropLast()) \(Self.title(part))"
            remarks.append("The \(points) are not in chronological order and were sorted.")
        }
        remarks.appendRemark(
            count: untimed, "\(kind) have no times and were skipped. Select one by its number with --track.")
        let timeless = timed.reduce(0) { $0 + $1.count - $1.timed }
        remarks.appendRemark(
            count: timeless,
            "points have no time although others do; they were placed between their neighbours, or one second apart before the first time and after the last."
        )
        appendRepeatedTimesRemark(timed)
        if timed.isEmpty {
            let pace = options.speed.map { "were given times for a speed of \($0) m/s" }
            remarks.append(
                "The \(kind) have no times; their points \(pace ?? "were placed one second apart. Use --pace to derive times from their distances")."
            )
        }
    }

    private static func problemDescription(_ summary: GPXSummary) -> String {
        summary.diagnostics.isEmpty ? "" : " that can be used: \(summary.diagnostics.remarks.joined(separator: " "))"
    }

    private static func title(_ part: GPXSummary.Part) -> String {
        part.name.isEmpty ? "\(part.number)" : "\(part.number) (\(part.name.prefix(60)))"
    }

    private mutating func appendFaultRemarks(_ summary: GPXSummary) {
        if let failure = summary.failure { remarks.append("\(failure.message) Everything before it was read.") }
        remarks.appendRemark(
            count: summary.excessPartCount, "tracks and routes were skipped, because the file has too many.")
        remarks += summary.diagnostics.remarks
        remarks.appendRemark(
            count: summary.unknownReferences, "entities in the text are unknown and were kept unchanged.")
    }

    private mutating func appendRepeatedTimesRemark(_ parts: [GPXSummary.Part]) {
        guard let first = parts.first(where: { $0.repeated.count > 0 }) else { return }
        remarks.append(
            "\(parts.reduce(0) { $0 + $1.repeated.count }) points have the same time as the previous point (first in line \(first.repeated.line)). Points with equal times were spread over the interval to the next time, at most one second."
        )
    }

    private mutating func appendOmittedContentRemark(
        _ partsWithPoints: [GPXSummary.Part], _ content: GPXOptions.Content
    ) {
        var others: [String] = []
        for kind in GPXOptions.Content.allCases where kind != content {
            let parts = partsWithPoints.filter { $0.content == kind }
            guard !parts.isEmpty else { continue }
            let count = kind == .waypoints ? parts.reduce(0) { $0 + $1.count } : parts.count
            others.append(count == 1 ? "1 \(kind.rawValue.dropLast())" : "\(count) \(kind.rawValue)")
        }
        guard !others.isEmpty else { return }
        remarks.append(
            "Besides the \(content.rawValue), the file contains \(others.joined(separator: " and ")), which were skipped."
        )
    }
}
