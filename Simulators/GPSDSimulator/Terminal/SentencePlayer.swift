// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import GPSDProtocol
import Trace

/// The timed sentences of one receiver in a trace.
struct SentencePlayer {
    struct Sentences {
        /// The time at which the sentences are due, in nanoseconds since the start of playback.
        var time: Int64
        /// The sentences with their line endings. Empty if the event has no sentences.
        var bytes: [UInt8] = []
        var count: Int64 = 0
    }

    private let summary: PlaybackSummary
    private let receiver: String?
    private let timestampPolicy: GPSDServerOptions.TimestampPolicy
    /// True if the beginning of the trace contains sentences and at most one receiver. If so, the recorded sentences
    /// are played unless times are shifted. Receivers that appear later have no effect.
    private let usesRecordedSentences: Bool
    private var trace: PlayedTrace
    private var shift: Int64 = 0
    /// The satellites to send with the next position, or nil if they have been sent.
    private var sky: SkyReport?
    /// The value of `PlayedEvent.shift` in the current pass. It differs from pass to pass.
    private var passShift: Int64 = 0
    private var hasProducedSentences = false

    /// Creates a player for the receiver with the given path. If `receiver` is nil, the player uses the first receiver
    /// that is present at the start of playback. If none is present, it uses all receivers.
    init(_ file: TraceFile, receiver: String?, options: GPSDServerOptions) throws(DeviceError) {
        let summary = PlaybackSummary(file)
        self.summary = summary
        if let receiver { try summary.require(receiver, of: file) }
        self.receiver = receiver ?? summary.receivers.first?.path
        timestampPolicy = options.timestampPolicy
        usesRecordedSentences = summary.hasSentences && summary.paths.count <= 1
        trace = PlayedTrace(file, repeats: options.end == .loop)
    }

    mutating func begin(at now: WallTime) { if timestampPolicy == .now { shift = summary.shift(toPlayAt: now) } }

    /// Returns the sentences of the next event, or nil at the end of playback. A pass without sentences ends playback.
    mutating func next() -> Sentences? {
        guard let event = trace.next() else { return nil }
        if event.shift != passShift {
            guard hasProducedSentences else { return nil }
            (passShift, hasProducedSentences) = (event.shift, false)
        }
        var part = Sentences(time: event.time)
        for sentence in sentences(event) {
            part.bytes += sentence + [13, 10]
            part.count += 1
        }
        if part.count > 0 { hasProducedSentences = true }
        return part
    }

    private mutating func sentences(_ event: PlayedEvent) -> [[UInt8]] {
        let shift = shift.addingSaturated(event.shift)
        let usesRecorded = usesRecordedSentences && shift == 0
        switch event.contents {
        case .text(let line):
            let isSentence = line.first == UInt8(ascii: "$") || line.first == UInt8(ascii: "!")
            return usesRecorded && isSentence ? [line] : []
        case .report(_, let report): return usesRecorded ? [] : sentences(report.shifted(by: shift))
        case .lost, .regained: return []
        }
    }

    private mutating func sentences(_ report: GPSDReport) -> [[UInt8]] {
        guard let path = report.origin?.receiver, isSelected(path) else { return [] }
        if case .sky(let sky) = report { self.sky = sky }
        return report.sentences(with: report.isPosition ? sky.take() : nil)
    }

    /// Returns true if reports from the receiver with the given path are played. Reports without a path are from the
    /// default receiver.
    private func isSelected(_ path: String) -> Bool {
        receiver == nil || receiver == (path.isEmpty ? summary.defaultReceiverPath ?? receiver : path)
    }
}

extension PlaybackSummary {
    /// If the trace does not contain the given receiver, throws an error that lists the receivers in the trace.
    func require(_ path: String, of file: TraceFile) throws(DeviceError) {
        if paths.contains(path) { return }
        // The summary covers only the beginning of the trace, so the receiver may appear later.
        var found = paths
        var trace = PlayedTrace(file)
        while let event = trace.next() {
            guard case .report(_, let report) = event.contents else { continue }
            for name in report.receivers where found.count < GPSDState.maximumReceivers && !found.contains(name) {
                if name == path { return }
                found.append(name)
            }
        }
        let advice =
            switch found.count {
            case 0: "It names no receivers. Omit the receiver."
            case 1: "It has only \(TerminalSanitizer.sanitized(found[0])). Specify that one, or none."
            default:
                "It has \(found.map { TerminalSanitizer.sanitized($0) }.joined(separator: ", ")). Specify one of these."
            }
        throw DeviceError(
            .notFound,
            "There is no receiver \(TerminalSanitizer.sanitized(path)) in \(TerminalSanitizer.sanitized(file.name)). \(advice)"
        )
    }
}

extension GPSDReport {
    fileprivate var receivers: [String] {
        let paths =
            switch self {
            case .device(let receiver): [receiver.path]
            case .devices(let list): list.map(\.path)
            default: origin.map { [$0.receiver] } ?? []
            }
        return paths.filter { !$0.isEmpty }
    }
}
