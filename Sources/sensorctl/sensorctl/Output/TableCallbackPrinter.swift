// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import CoreLocation
import DeviceCore

/// Prints one aligned line for each location, for people.
final class TableCallbackPrinter: CallbackPrinter {
    private let output: StandardOutput
    private let clock: () -> WallTime
    private let ink = Ink(.standardOutput)
    private var date = ""

    /// - Parameter clock: what time it is, for callbacks that carry none.
    init(output: StandardOutput, clock: @escaping () -> WallTime) {
        self.output = output
        self.clock = clock
    }

    func print(_ locations: [CLLocation]) {
        for location in locations {
            let time = CivilDate(location.time)
            if time.date != date {
                date = time.date
                output.write(line: ink.dim(heading))
            }
            let columns = [
                ink.dim(time.timeOfDayWithTenths),
                ink.bold(Reading.latitude(location.coordinate.latitude)),
                ink.bold(Reading.longitude(location.coordinate.longitude)),
                Reading.altitude(location),
                Reading.speed(location),
                Reading.course(location),
                ink.color(Self.color(accuracy: location.horizontalAccuracy), Reading.accuracy(location)),
                Reading.satellites(location),
            ]
            output.write(line: columns.joined(separator: "  "))
        }
    }

    func print(_ error: any Error) {
        let isDenied = (error as? CLError)?.code == .denied
        let what = isDenied ? "not allowed" : "no position"
        let time = CivilDate(clock()).timeOfDayWithTenths
        output.write(line: "\(ink.dim(time))  \(ink.color(isDenied ? 203 : 214, what)): \(error.reason)")
    }

    func print(_ status: CLAuthorizationStatus, accuracy: CLAccuracyAuthorization) {
        // What is usual needs no line.
        let isUsual = status == .authorizedWhenInUse || status == .authorizedAlways
        guard !isUsual || accuracy != .fullAccuracy else { return }
        let time = CivilDate(clock()).timeOfDayWithTenths
        output.write(line: "\(ink.dim(time))  authorization: \(status.name), \(accuracy.name)")
    }

    /// The date over the columns.
    private var heading: String {
        "\(date)      latitude     longitude    altitude       speed  course      accuracy  sats"
    }

    private static func color(accuracy: Double) -> Int {
        switch accuracy {
        case ..<5: 78
        case ..<15: 149
        case ..<50: 214
        default: 203
        }
    }
}
