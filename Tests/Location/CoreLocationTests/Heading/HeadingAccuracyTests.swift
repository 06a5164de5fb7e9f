// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import MotionEngine
import SensorFusion
import Testing

@testable import CoreLocation

@Suite("The accuracy of a heading")
struct HeadingAccuracyTests {
    private func accuracy(
        uncertainty: Double? = 3, error: Double? = 4, flatness: Double = 1, isDisturbed: Bool = false
    ) -> Double {
        HeadingConversion.accuracy(
            uncertainty: uncertainty.map { $0 * .pi / 180 }, calibrationError: error, flatness: flatness,
            isDisturbed: isDisturbed)
    }

    @Test("Its parts add up in squares")
    func sum() {
        // 3 and 4 are the sides of 5.
        #expect(abs(accuracy() - 5) < 1e-12)
        // An edge at 45 degrees adds 1 degree: the square root of 26.
        #expect(abs(accuracy(flatness: 0.5.squareRoot()) - 26.0.squareRoot()) < 1e-12)
    }

    @Test("A good one is never 0, and a bad one never more than a half turn")
    func bounds() {
        #expect(accuracy(uncertainty: 0, error: 0) == 1)
        #expect(accuracy(uncertainty: 500) == 180)
        #expect(accuracy(uncertainty: .infinity) == 180)
        #expect(accuracy(flatness: 0).isFinite)
    }

    @Test("It is negative when the field is disturbed, not calibrated, or nothing is known of it")
    func invalid() {
        #expect(accuracy(isDisturbed: true) == -1)
        #expect(accuracy(uncertainty: nil) == -1)
        #expect(accuracy(uncertainty: .nan) == -1)
        #expect(accuracy(error: nil) == -1)
        #expect(HeadingConversion.calibrationError(.uncalibrated, deviation: nil) == nil)
    }

    @Test("The better the calibration, the less is added")
    func quality() {
        let errors = [MagneticQuality.low, .medium, .high].map {
            HeadingConversion.calibrationError($0, deviation: nil)
        }
        #expect(errors == [15, 5, 2])
        #expect(HeadingConversion.calibrationError(.uncalibrated, deviation: 1) == 3)
        #expect(HeadingConversion.calibrationError(.uncalibrated, deviation: 8) == 8)
    }

    @Test("A calibration that is lost takes along what was seen through it")
    func lostCalibration() throws {
        var headings = HeadingState()
        var mailbox = Mailbox()
        let clock = VirtualClock()
        headings.filter = kCLHeadingFilterNone
        headings.start(needsCompass: false)
        func accuracy(_ quality: MagneticQuality, _ steps: Range<Int>, corrections: UInt32 = 1) -> Double? {
            var last: Double?
            for step in steps {
                var state = FusedState(.flat(heading: Double(step % 360)), at: Double(step) / 100, quality: quality)
                state.magneticCorrections = corrections
                headings.take(state, knowsPlace: false, clock: clock, mailbox: &mailbox)
                while let item = mailbox.takeFirst() {
                    if case .heading(let heading) = item { last = heading.headingAccuracy }
                }
            }
            return last
        }
        let good = accuracy(.high, 0..<360, corrections: 0)
        #expect((good ?? 0) > 0)
        let lost = accuracy(.uncalibrated, 360..<400)
        #expect(lost == -1)
        let proved = accuracy(.uncalibrated, 400..<760)
        #expect((proved ?? 0) > 0)
        // What is only doubted as the device is held was seen through the same one.
        _ = accuracy(.low, 760..<770)
        let doubted = accuracy(.uncalibrated, 770..<780)
        #expect((doubted ?? 0) > 0)
    }

    /// What a device says that is turned round once on a table with so many gauss of its own along x.
    private func turn(_ hardIron: Double, degrees: Int = 360) -> Double? {
        var evenness = FieldEvenness()
        for step in 0..<degrees {
            let state = FusedState(.flat(heading: Double(step)), hardIron: [hardIron, 0, 0])
            let field = state.magneticField ?? .zero
            // On a table the horizontal part is that along x and y.
            evenness.add(heading: Double(step), horizontal: (field.x * field.x + field.y * field.y).squareRoot())
        }
        return evenness.deviation
    }

    @Test("A field that is the same all round proves itself; the device's own shows by its unevenness")
    func evenness() {
        #expect((turn(0) ?? 1) < 1e-6)
        // 1 microtesla across 20 turns a heading by up to asin(1 / 20) = 2.87 degrees; sectors average that a little.
        #expect(abs((turn(0.01) ?? 0) - 2.87) < 0.15)
        // 10 microtesla: half of the field.
        #expect(turn(0.1) == nil)
        // Three quarters of the way round are enough, half is not.
        #expect(turn(0, degrees: 270) != nil)
        #expect(turn(0, degrees: 180) == nil)
    }

    @Test("What is no field and no direction is left out")
    func odd() {
        var evenness = FieldEvenness()
        for (heading, field) in [(Double.nan, 1.0), (-1, 1), (360, 1), (10, .nan), (10, 0), (10, -1), (10, .infinity)] {
            evenness.add(heading: heading, horizontal: field)
        }
        #expect(evenness.deviation == nil)
    }

    @Test("A magnetometer that was never calibrated counts once the device has been turned round")
    func factory() {
        var headings = HeadingState()
        var mailbox = Mailbox()
        let clock = VirtualClock()
        headings.start(needsCompass: false)
        for step in 0..<360 {
            let state = FusedState(.flat(heading: Double(step)), at: Double(step) / 100, quality: .uncalibrated)
            headings.take(state, knowsPlace: false, clock: clock, mailbox: &mailbox)
        }
        var accuracies: [Double] = []
        while let item = mailbox.takeFirst() {
            if case .heading(let heading) = item { accuracies.append(heading.headingAccuracy) }
        }
        // 3 degrees of the filter and 3 at least of an even field: the square root of 18.
        #expect(abs((accuracies.last ?? 0) - 18.0.squareRoot()) < 1e-6)
    }
}
