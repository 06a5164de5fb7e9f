// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// A subject that `plot` can draw. The raw value is its name on the command line.
enum PlotSubject: String, CaseIterable {
    case track, sky, speed, altitude, accuracy, accelerometer, gyro, magnetometer, pressure, attitude, heading,
        intervals

    /// The stream that supplies the subject's data, or nil for `intervals`, which shows all streams.
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

    /// Returns the subject with this name, or all subjects of the stream with this name.
    static func named(_ word: String) -> [PlotSubject]? {
        if let subject = PlotSubject(rawValue: word) { return [subject] }
        guard let stream = StreamName(argument: word) else { return nil }
        let subjects = allCases.filter { $0.stream == stream }
        return subjects.isEmpty ? nil : subjects
    }

    static let list = allCases.map(\.rawValue).joined(separator: ", ") + " and location (all position streams)"
}

extension StreamName { var plotName: String { self == .deviceMotion ? PlotSubject.attitude.rawValue : rawValue } }

enum PlotFormat: String, CaseIterable, ExpressibleByArgument {
    case svg, html, png

    init?(fileName: String) {
        let ending = fileName.split(separator: ".", omittingEmptySubsequences: false).last?.lowercased() ?? ""
        guard fileName.contains("."), let format = Self(rawValue: ending == "htm" ? "html" : ending) else { return nil }
        self = format
    }
}
