// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// What `plot` draws, by the words of the command line.
enum PlotSubject: String, CaseIterable {
    case track, sky, speed, altitude, accuracy, accelerometer, gyro, magnetometer, pressure, attitude, heading,
        intervals

    /// The stream whose readings it shows; nil for what shows how all of them come.
    var stream: StreamName? {
        switch self {
        case .track, .sky, .speed, .altitude, .accuracy: .location
        case .accelerometer: .accelerometer
        case .gyro: .gyro
        case .magnetometer: .magnetometer
        case .pressure: .pressure
        case .attitude: .deviceMotion
        case .heading: .heading
        case .intervals: nil
        }
    }

    /// What a word stands for: a subject, or all subjects of a stream; nil for what is no such word.
    static func named(_ word: String) -> [PlotSubject]? {
        if let subject = PlotSubject(rawValue: word) { return [subject] }
        guard let stream = StreamName(argument: word) else { return nil }
        let subjects = allCases.filter { $0.stream == stream }
        return subjects.isEmpty ? nil : subjects
    }

    static let list = allCases.map(\.rawValue).joined(separator: ", ") + " and location, for all that belongs to it"
}

extension StreamName {
    /// What `plot` calls it.
    var plotName: String { self == .deviceMotion ? PlotSubject.attitude.rawValue : rawValue }
}

/// What a plot is written as.
enum PlotFormat: String, CaseIterable, ExpressibleByArgument {
    case svg, html, png

    /// What the ending of a name says; nil for another one.
    init?(fileName: String) {
        let ending = fileName.split(separator: ".", omittingEmptySubsequences: false).last?.lowercased() ?? ""
        guard fileName.contains("."), let format = Self(rawValue: ending == "htm" ? "html" : ending) else { return nil }
        self = format
    }
}
