// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Trace

/// Which parts of a GPX file become a trace, and in which order.
struct GPXPlan {
    /// The parts, in the order in which they are written.
    private(set) var parts: [GPXSurvey.Part]
    /// Civil time at time zero, in nanoseconds since 1970; nil when no point has a time.
    let start: Int64?
    /// True if the file has times of a clock that was set.
    let isClockSet: Bool
    /// True when the points have to be sorted.
    let needsSorting: Bool
    /// True when it takes tracks as they stand in the file, and they are in the order of time.
    var isInOrder: Bool {
        let numbers = parts.map(\.number)
        return start != nil && !needsSorting && parts.allSatisfy { $0.content == .tracks }
            && numbers == numbers.sorted()
    }
    /// Why the file could not be read to its end.
    let failure: DeviceError?
    private(set) var remarks: [String] = []

    /// Chooses from what a file holds.
    init(_ survey: GPXSurvey, _ options: GPXOptions, name: String) throws(DeviceError) {
        failure = survey.failure
        isClockSet = survey.isClockSet
        let found = survey.parts.filter { $0.count > 0 }
        let kinds = GPXOptions.Content.allCases
        guard let content = options.content ?? kinds.first(where: { kind in found.contains { $0.content == kind } })
        else {
            throw DeviceError(
                .invalidTrace,
                "\(name) holds no points\(Self.excuse(survey))\(survey.diagnostics.isEmpty ? ". Is it another file?" : "")"
            )
        }
        var chosen = found.filter { $0.content == content }
        guard !chosen.isEmpty else {
            let others = kinds.filter { kind in found.contains { $0.content == kind } }.map(\.rawValue)
            throw DeviceError(
                .invalidTrace,
                "\(name) holds no \(content.rawValue)\(others.isEmpty ? "" : ", but \(others.joined(separator: " and "))")."
            )
        }
        if let number = options.number {
            guard let part = survey.parts.first(where: { $0.content == content && $0.number == number }) else {
                throw DeviceError(
                    .invalidTrace,
                    "\(name) has no number \(number) among its \(content.rawValue), which are numbered from 1 to \(chosen.last?.number ?? 1)."
                )
            }
            guard part.count > 0 else {
                throw DeviceError(
                    .invalidTrace, "Number \(number) of the \(content.rawValue) in \(name) has no points.")
            }
            chosen = [part]
        }
        // If several points all have the same time, it is not the time of measurement.
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

        noteFaults(survey)
        if isOneTime {
            remarks.append(
                "All points have the time \(CivilDate(WallTime(nanoseconds: first)).iso8601(decimals: 0)), which was ignored."
            )
        }
        noteOthers(found, content)
        let kind = content.rawValue
        if options.number == nil, chosen.count > 1 {
            if let overlap {
                remarks.append(
                    "The \(kind) \(Self.title(overlap.0)) and \(Self.title(overlap.1)) overlap in time, and their points were mixed. --track chooses one by its number."
                )
            } else {
                remarks.append(
                    "\(chosen.count) \(kind) follow one another\(timed.isEmpty ? "" : " in the order of time").")
            }
        }
        if let part = timed.first(where: { !$0.isOrdered }) {
            let what = content == .waypoints ? "waypoints" : "points of \(kind) \(Self.title(part))"
            remarks.append("The \(what) are not in the order of time and were sorted.")
        }
        remarks.tell(untimed, "\(kind) have no times and were left out. --track chooses one by its number.")
        let timeless = timed.reduce(0) { $0 + $1.count - $1.timed }
        remarks.tell(
            timeless,
            "points have no time although others do, and were placed between their neighbours, or one second apart before the first time and behind the last."
        )
        noteRepeated(timed)
        if timed.isEmpty {
            let pace = options.speed.map { "were given those of somebody who goes at \($0) m/s" }
            remarks.append(
                "The \(kind) have no times; their points \(pace ?? "were put one second apart. --pace puts them as far apart as they lie")."
            )
        }
    }

    private static func excuse(_ survey: GPXSurvey) -> String {
        survey.diagnostics.isEmpty ? "" : " that can be used: \(survey.diagnostics.remarks.joined(separator: " "))"
    }

    private static func title(_ part: GPXSurvey.Part) -> String {
        part.name.isEmpty ? "\(part.number)" : "\(part.number) (\(part.name.prefix(60)))"
    }

    private mutating func noteFaults(_ survey: GPXSurvey) {
        if let failure = survey.failure { remarks.append("\(failure.message) What stands before it was read.") }
        remarks.tell(survey.surplus, "tracks and routes were left out; the file has too many of them.")
        remarks += survey.diagnostics.remarks
        remarks.tell(survey.unknownReferences, "entities in the texts are not known and were kept as they are.")
    }

    private mutating func noteRepeated(_ parts: [GPXSurvey.Part]) {
        guard let first = parts.first(where: { $0.repeated.count > 0 }) else { return }
        remarks.append(
            "\(parts.reduce(0) { $0 + $1.repeated.count }) points have the time of the point before (first in line \(first.repeated.line)). Points of one time were spread over the time to the next, at most a second."
        )
    }

    private mutating func noteOthers(_ found: [GPXSurvey.Part], _ content: GPXOptions.Content) {
        var others: [String] = []
        for kind in GPXOptions.Content.allCases where kind != content {
            let parts = found.filter { $0.content == kind }
            guard !parts.isEmpty else { continue }
            let count = kind == .waypoints ? parts.reduce(0) { $0 + $1.count } : parts.count
            others.append(count == 1 ? "1 \(kind.rawValue.dropLast())" : "\(count) \(kind.rawValue)")
        }
        guard !others.isEmpty else { return }
        remarks.append(
            "Beside the \(content.rawValue) there are \(others.joined(separator: " and ")); they were left out.")
    }
}
