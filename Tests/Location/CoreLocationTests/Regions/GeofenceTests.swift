// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import CoreLocation

/// Measures the quality of region crossings on 1,000 drives with a known path. docs/location.md lists the figures.
/// `TEST_FIGURES=1` prints them.
@Suite("Geofences on synthetic drives")
struct GeofenceTests {
    struct Figures {
        var passes = 0, falseAlarms = 0
        var crossings = 0, received = 0, twice = 0
        /// Crossings of drives that are deeper than 4.5 times the accuracy, and the number that was not reported.
        var deep = 0, deepMissed = 0
        var delays: [Double] = []
        var errors: [Double] = []

        mutating func add(_ drive: SyntheticDrive, _ received: [ReportedCrossing], accuracy: Double) {
            let (margins, crossings) = (drive.margins, drive.crossings)
            if crossings.isEmpty {
                passes += 1
                if !received.isEmpty { falseAlarms += 1 }
                return
            }
            self.crossings += crossings.count
            self.received += min(received.count, crossings.count)
            if received.count > crossings.count { twice += 1 }
            // A bend may end the drive on the border, where no crossing can be reported yet.
            let endsOutside = margins.last.map { $0 < -max(100, 5 * accuracy) } ?? false
            if endsOutside, (margins.max() ?? 0) > max(20, 4.5 * accuracy) {
                deep += crossings.count
                deepMissed += max(0, crossings.count - received.count)
            }
            guard received.count == crossings.count else { return }
            for (event, crossing) in zip(received, crossings) {
                delays.append(abs(margins[event.received]))
                errors.append(Double(event.crossed - crossing))
            }
        }

        func print(_ name: String) {
            guard ProcessInfo.processInfo.environment["TEST_FIGURES"] != nil else { return }
            let sorted = delays.sorted()
            let late =
                sorted.isEmpty ? "-" : "\(Int(sorted[sorted.count / 2]))/\(Int(sorted[sorted.count * 95 / 100])) m"
            let spread = (errors.map { $0 * $0 }.reduce(0, +) / Double(max(1, errors.count))).squareRoot()
            Swift.print(
                "\(name): \(passes) past, \(falseAlarms) false; \(crossings) crossings, \(received) delivered, \(twice) drives with too many events;"
                    + " deep \(deep), missed \(deepMissed); delivered \(late) past the border; time \(String(format: "%.1f", spread)) s rms"
            )
        }
    }

    static func figures(
        sigma: Double, accuracy: Double, drives: Int, includesSpeed: Bool = true,
        _ detect: (SyntheticDrive, [TrackedFix]) -> [ReportedCrossing]
    ) -> Figures {
        var random = SeededGenerator(seed: 17)
        var figures = Figures()
        for number in 0..<drives {
            let drive = SyntheticDrive(&random)
            let kinds = SyntheticDrive.Noise.allCases
            let errors = SyntheticDrive.errors(drive.path.count, sigma, kinds[number % kinds.count], &random)
            let fixes = drive.fixes(errors, accuracy: accuracy, includesSpeed: includesSpeed)
            figures.add(drive, detect(drive, fixes), accuracy: accuracy)
        }
        return figures
    }

    @Test("Each crossing is reported once, and no other crossing is reported", arguments: [3.0, 10, 30])
    func drives(sigma: Double) {
        let figures = Self.figures(sigma: sigma, accuracy: sigma, drives: 1000) { $0.received($1) }
        figures.print("sigma \(Int(sigma))")
        #expect(figures.passes > 300 && figures.deep > 300)
        #expect(Double(figures.falseAlarms) <= (sigma < 30 ? 0 : 0.005 * 1000))
        #expect(Double(figures.twice) <= (sigma < 30 ? 0 : 0.005 * 1000))
        // A crossing may be missed if the drive stops just inside the border for long and leaves within a few seconds.
        #expect(Double(figures.deepMissed) <= 0.005 * Double(figures.deep))
    }

    @Test("Conservative accuracies and missing speeds cause no loss of deep crossings", arguments: [3.0, 10, 30])
    func cautious(sigma: Double) {
        // A circle that contains 95 % of the errors of two axes has a radius of 2.45 standard deviations of one axis.
        let careful = Self.figures(sigma: sigma, accuracy: 2.45 * sigma, drives: 250) { $0.received($1) }
        careful.print("sigma \(Int(sigma)), accuracy of 95 %")
        #expect(careful.falseAlarms == 0 && careful.twice == 0 && careful.deepMissed == 0)
        let mute = Self.figures(sigma: sigma, accuracy: sigma, drives: 250, includesSpeed: false) { $0.received($1) }
        mute.print("sigma \(Int(sigma)), no speed")
        #expect(Double(mute.falseAlarms) <= (sigma < 30 ? 0 : 0.005 * 250) && mute.deepMissed == 0)
    }

    /// Treats each fix on the other side as a crossing, as most programs do.
    private static func plain(_ drive: SyntheticDrive, _ fixes: [TrackedFix]) -> [ReportedCrossing] {
        drive.received(fixes, rules: CrossingThresholds(dwell: 0, cushion: 0))
    }

    @Test("A plain threshold, which is the tracker with its rules at zero, reports too many crossings")
    func threshold() {
        for sigma in [3.0, 10, 30] {
            let figures = Self.figures(sigma: sigma, accuracy: sigma, drives: 250, Self.plain)
            figures.print("plain threshold, sigma \(Int(sigma))")
            #expect(figures.twice > 10)
        }
        // Without noise, a plain threshold is exact: it reports the crossing at the first fix beyond the border.
        let exact = Self.figures(sigma: 0, accuracy: 0, drives: 250, Self.plain)
        #expect(exact.received == exact.crossings && exact.falseAlarms == 0 && exact.twice == 0)
        #expect(exact.errors.allSatisfy { $0 == 0 })
    }

    /// Returns the number of crossings reported for a device that stands on the border for an hour.
    private func parked(_ noise: SyntheticDrive.Noise, sigma: Double, accuracy: Double, seed: UInt64) -> Int {
        var random = SeededGenerator(seed: seed)
        var track = FixStatistics()
        var tracker = RegionTracker()
        var count = 0
        for (second, error) in SyntheticDrive.errors(3600, sigma, noise, &random).enumerated() {
            let coordinate = CLLocationCoordinate2D(latitude: error.y / 111_200, longitude: (200 + error.x) / 111_200)
            let fix = TrackedFix(
                coordinate: coordinate, accuracy: accuracy, speed: 0.1, timestamp: Double(second),
                arrival: .zero.advanced(bySeconds: Double(second)))
            guard track.accept(fix) else { continue }
            let distance = ((200 + error.x) * (200 + error.x) + error.y * error.y).squareRoot()
            let wasKnown = tracker.state != .unknown
            if tracker.accept(fix, distance: distance, radius: 200, track: track, rules: CrossingThresholds()) != nil,
                wasKnown
            {
                count += 1
            }
        }
        return count
    }

    @Test("Noise alone on the border for an hour causes no crossing", arguments: SyntheticDrive.Noise.allCases)
    func standsOnBorder(noise: SyntheticDrive.Noise) {
        for seed in 1...4 as ClosedRange<UInt64> {
            #expect(parked(noise, sigma: 5, accuracy: 5, seed: seed) == 0)
            #expect(parked(noise, sigma: 10, accuracy: 25, seed: seed) == 0)
        }
    }

    @Test("A walk through a circle is reported as two crossings, with the times at the border")
    func walk() {
        // A walk at 1.4 m/s through the centre of a circle of 100 m enters after 100 s and leaves 100 / 0.7 s later.
        var random = SeededGenerator(seed: 5)
        let errors = SyntheticDrive.errors(400, 5, .mixed, &random)
        var track = FixStatistics()
        var tracker = RegionTracker()
        var changes: [RegionTracker.Change] = []
        for second in 0..<400 {
            let (x, y) = (-240 + 1.4 * Double(second) + errors[second].x, errors[second].y)
            let fix = TrackedFix(
                coordinate: CLLocationCoordinate2D(latitude: y / 111_200, longitude: x / 111_200), accuracy: 5,
                speed: 1.4,
                timestamp: Double(second), arrival: .zero.advanced(bySeconds: Double(second)))
            guard track.accept(fix) else { continue }
            let distance = (x * x + y * y).squareRoot()
            tracker.accept(fix, distance: distance, radius: 100, track: track, rules: CrossingThresholds()).map {
                changes.append($0)
            }
        }
        #expect(changes.map(\.state) == [.outside, .inside, .outside])
        // (240 - 100) / 1.4 = 100 and (240 + 100) / 1.4 = 243. The receiver's error of 5 m corresponds to 4 s.
        #expect(changes.count == 3 && abs(changes[1].timestamp - 100) < 12 && abs(changes[2].timestamp - 243) < 12)
    }
}
