// SPDX-License-Identifier: Apache-2.0

import DeviceCore

// Some receivers report local time in GLL and ZDA, but UTC in all other sentences.
extension NMEAEpochAssembler {
    /// Returns true if the time differs from the epoch's time by a multiple of 15 minutes, with a tolerance of 1 s.
    func isPossiblyLocalTime(_ time: Int64, kind: Kinds) -> Bool {
        guard let current = epoch.time, !epoch.kinds.isEmpty, epoch.kinds.isDisjoint(with: kind) else { return false }
        let difference = (time - current).magnitude
        let rest = difference % Self.quarterOfAnHour.magnitude
        return difference > 60_000_000_000
            && (rest <= 1_000_000_000 || rest >= Self.quarterOfAnHour.magnitude - 1_000_000_000)
    }

    static let quarterOfAnHour: Int64 = 900_000_000_000

    /// Processes the deferred sentence. If it is in local time, it belongs to the current epoch. Otherwise, it keeps
    /// its own time and begins a new epoch, unless the epoch's time turns out to be local. Called when the next time
    /// has been read or the epoch ends. The sentence is in local time if the next time is closer to the epoch's time
    /// than to the sentence's own time. If there is no next time, it is assumed to be in local time if it is GLL,
    /// contains no position, or follows several kinds of position sentences.
    mutating func processDeferred(
        before next: Int64?, diagnostics: inout NMEADiagnostics, receive: (NMEAReport) -> Void
    ) {
        guard let deferredSentence, let time = epoch.time else { return }
        // Clears the property first, because `processTimed` may end the epoch and call this function again.
        self.deferredSentence = nil
        let line = diagnostics.line
        diagnostics.line = deferredSentence.line
        defer { diagnostics.line = line }
        let offset = deferredSentence.time - time
        deferredSentence.bytes.withUnsafeBytes { bytes in
            guard let sentence = NMEASentence(bytes), let (_, kind) = Self.timedKind(sentence) else { return }
            let isLocal: Bool
            let isEpochLocal: Bool
            if let next {
                isLocal = (next - time).magnitude < (next - deferredSentence.time).magnitude
                // An epoch whose only position sentence is GLL may itself have a local time. It does if the next time
                // equals the deferred sentence's time.
                isEpochLocal = epoch.kinds == .gll && next == deferredSentence.time
            } else {
                isLocal = kind == .gll || kind == [] || epoch.kinds.rawValue.nonzeroBitCount > 1
                isEpochLocal = epoch.kinds == .gll
            }
            if isLocal {
                recordLocalTime(offset, of: sentence.kindName, sentence, &diagnostics)
            } else if isEpochLocal {
                recordLocalTime(-offset, of: "GLL", sentence, &diagnostics)
                epoch.time = deferredSentence.time
            }
            processTimed(
                sentence, time: isLocal ? time : deferredSentence.time, kind: kind, arrival: deferredSentence.arrival,
                diagnostics: &diagnostics, receive: receive)
        }
    }

    func recordLocalTime(
        _ offset: Int64, of kind: String, _ sentence: NMEASentence, _ diagnostics: inout NMEADiagnostics
    ) {
        let quarters = Int((Double(offset.magnitude) / Double(Self.quarterOfAnHour)).rounded())
        let fraction = ["", ".25", ".5", ".75"][quarters % 4]
        let hours = "\(quarters / 4)\(fraction) \(quarters == 4 ? "hour" : "hours")"
        diagnostics.record(
            "the time of \(kind) is \(hours) \(offset > 0 ? "ahead of" : "behind") that of the other sentences and was ignored",
            sentence)
    }
}
