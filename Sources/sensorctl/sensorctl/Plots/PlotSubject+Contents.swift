// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import SystemCalls
import Trace
import TraceEditing

extension PlotSubject {
    /// Returns the subjects that can be plotted from a recording.
    static func subjects(in trace: TraceFile) -> [PlotSubject] {
        let summary = TraceSummary(trace)
        let kinds = Set(summary.streams.filter { $0.count > 0 }.map(\.kind))
        let positions = summary.positions
        return allCases.filter { subject in
            switch subject {
            case .track, .speed: (positions?.fixCount ?? 0) > 0
            case .altitude: (positions?.threeDimensionalCount ?? 0) > 0
            case .accuracy: positions?.medianError.isFinite == true
            case .sky: kinds.contains("SKY")
            case .intervals: !kinds.isEmpty
            case .accelerometer, .gyro, .magnetometer, .pressure, .attitude, .heading:
                subject.stream?.sensors.allSatisfy { kinds.contains($0.rawValue) } == true
            }
        }
    }
}

extension PlotCommand {
    /// Exits with an error if a word is neither a file nor a stream. Lists the streams of the recordings among the other
    /// words.
    func checkWords() throws {
        // A word with a slash or a dot is the path of a file.
        let unknown = files.first { $0 != "-" && !$0.contains { "/.".contains($0) } && !FileIO.exists($0) }
        guard let word = unknown else { return }
        let recordings = files.filter { FileIO.exists($0) && !RecordedCallbacks.isCallbackFile($0) }
        let traces = recordings.isEmpty ? [] : try imports.read(recordings)
        let subjects = traces.isEmpty ? PlotSubject.allCases : traces.flatMap { PlotSubject.subjects(in: $0) }
        let names = PlotSubject.allCases.filter { subjects.contains($0) }.map(\.rawValue)
        let owner = traces.isEmpty ? "The streams are" : "The streams of \(recordings.joined(separator: " and ")) are"
        // The word may also be misspelled if the recordings do not contain the stream that is meant.
        let question = NameSuggestion.question(word, among: PlotSubject.allCases.map(\.rawValue))
        Log.error(
            "There is neither a file nor a stream '\(word)'.\(question) \(owner) \(names.joined(separator: ", ")).")
        try ExitStatus.usage.exit()
    }
}
