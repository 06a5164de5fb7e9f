// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import Trace
import TraceFormats

extension ImportOptions {
    /// Reads the recording that a user named, "-" for standard input; ends the verb when it cannot be read.
    func read(_ path: String) throws -> TraceFile {
        let recording = try RecordingFile.read(userPath: path, options: options)
        warnOfUnused([recording.format], recording.trace.name)
        return recording.trace
    }

    /// Reads several, and says which options none of them can use.
    func read(_ paths: [String]) throws -> [TraceFile] {
        let recordings = try paths.map { try RecordingFile.read(userPath: $0, options: options) }
        let first = recordings.first?.trace.name ?? ""
        warnOfUnused(Set(recordings.map(\.format)), recordings.count == 1 ? first : "what was given")
        return recordings.map(\.trace)
    }

    /// Says which of the options change nothing for recordings of those kinds.
    private func warnOfUnused(_ kinds: Set<RecordingFormat>, _ name: String) {
        for option in description.keys.sorted() {
            guard let (what, users) = users(of: option), users.isDisjoint(with: kinds) else { continue }
            Notes.warn("--\(option) is for \(what), and \(name) is none of these: it changes nothing.")
        }
    }

    /// What an option is for; nil for one that is for all.
    private func users(of option: String) -> (what: String, kinds: Set<RecordingFormat>)? {
        switch option {
        case "layout" where columns != nil, "rate" where columns != nil: ("tables without --columns", [])
        case "layout": ("CSV files of motion", [.csv])
        case "rate": ("CSV files of motion and buffers of libiio", [.csv, .iio])
        case "platform", "location-file": ("folders of Sensor Logger", [.sensorLogger])
        case "points", "track", "pace": ("GPX files", [.gpx])
        case "date", "weeks": ("logs of sentences (NMEA 0183)", [.nmea])
        default: nil
        }
    }
}
