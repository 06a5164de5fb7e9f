// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import MotionEngine
import SensorFusion
import Testing

@testable import CoreLocation

@Suite("Heading accuracy")
struct HeadingAccuracyTests {
    private func accuracy(
        uncertainty: Double? = 3, error: Double? = 4, flatness: Double = 1, isDisturbed: Bool = false
    ) -> Double {
        HeadingConversion.accuracy(
            uncertainty: uncertainty.map { $0 * .pi / 180 }, calibrationError: error, flatness: flatness,
            isDisturbed: isDisturbed)
    }

    @Test("The parts of the accuracy are added in quadrature")
    func sum() {
        // √(3² + 4²) = 5.
        #expect(abs(accuracy() - 5) < 1e-12)
        // An edge at 45 degrees adds 1 degree: √26.
        #expect(abs(accuracy(flatness: 0.5.squareRoot()) - 26.0.squareRoot()) < 1e-12)
    }

    @Test("The accuracy is at least 1 degree and at most 180 degrees")
    func bounds() {
        #expect(accuracy(uncertainty: 0, error: 0) == 1)
        #expect(accuracy(uncertainty: 500) == 180)
        #expect(accuracy(uncertainty: .infinity) == 180)
        #expect(accuracy(flatness: 0).isFinite)
    }

    @Test("The accuracy is negative if the field is disturbed or uncalibrated or the uncertainty is unknown")
    func invalid() {
        #expect(accuracy(isDisturbed: true) == -1)
        #expect(accuracy(uncertainty: nil) == -1)
        #expect(accuracy(uncertainty: .nan) == -1)
        #expect(accuracy(error: nil) == -1)
        #expect(HeadingConversion.calibrationError(.uncalibrated, deviation: nil) == nil)
    }

    @Test("A better calibration adds a smaller error")
    func quality() {
        let errors = [MagneticQuality.low, .medium, .high].map {
            HeadingConversion.calibrationError($0, deviation: nil)
        }
        #expect(errors == [15, 5, 2])
        #expect(HeadingConversion.calibrationError(.uncalibrated, deviation: 1) == 3)
        #expect(HeadingConversion.calibrationError(.uncalibrated, deviation: 8) == 8)
    }

    @Test("A lost calibration discards the field measurements that were made with it")
    func lostCalibration() throws {
        var headings = HeadingState()
        var callbacks = PendingLocationCallbacks()
        let clock = VirtualClock()
        headings.filter = kCLHeadingFilterNone
        headings.start(needsCompass: false)
        func accuracy(_ quality: MagneticQuality, _ steps: Range<Int>, corrections: UInt32 = 1) -> Double? {
            var last: Double?
            for step in steps {
                var state = FusedState(.flat(heading: Double(step % 360)), at: Double(step) / 100, quality: quality)
                state.magneticCorrections = corrections
                headings.process(state, allowsTrueHeading: false, clock: clock, pendingCallbacks: &callbacks)
                while let item = callbacks.removeFirst() {
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
        // A lower quality with unchanged corrections keeps the measurements.
        _ = accuracy(.low, 760..<770)
        let doubted = accuracy(.uncalibrated, 770..<780)
        #expect((doubted ?? 0) > 0)
    }

    /// Returns the deviation of the field for a device that is turned on a table, with a hard iron offset along x in
    /// gauss.
    private func rotate(_ hardIron: Double, degrees: Int = 360) -> Double? {
        var evenness = FieldUniformity()
        for step in 0..<degrees {
            let state = FusedState(.flat(heading: Double(step)), hardIron: [hardIron, 0, 0])
            let field = state.magneticField ?? .zero
            // On a table, x and y are horizontal.
            evenness.add(heading: Double(step), horizontal: (field.x * field.x + field.y * field.y).squareRoot())
        }
        return evenness.deviation
    }

    @Test("A uniform field during a turn proves the calibration, and hard iron causes a deviation")
    func evenness() {
        #expect((rotate(0) ?? 1) < 1e-6)
        // 1 microtesla across a field of 20 rotates a heading by up to asin(1 / 20) = 2.87 degrees. Averages over
        // sectors reduce this slightly.
        #expect(abs((rotate(0.01) ?? 0) - 2.87) < 0.15)
        // 10 microtesla, half of the field.
        #expect(rotate(0.1) == nil)
        // Three quarters of a turn are enough, half a turn is not.
        #expect(rotate(0, degrees: 270) != nil)
        #expect(rotate(0, degrees: 180) == nil)
    }

    @Test("Invalid headings and fields are ignored")
    func odd() {
        var evenness = FieldUniformity()
        for (heading, field) in [(Double.nan, 1.0), (-1, 1), (360, 1), (10, .nan), (10, 0), (10, -1), (10, .infinity)] {
            evenness.add(heading: heading, horizontal: field)
        }
        #expect(evenness.deviation == nil)
    }

    @Test("An uncalibrated magnetometer yields an accuracy after a full turn of the device")
    func factory() {
        var headings = HeadingState()
        var callbacks = PendingLocationCallbacks()
        let clock = VirtualClock()
        headings.start(needsCompass: false)
        for step in 0..<360 {
            let state = FusedState(.flat(heading: Double(step)), at: Double(step) / 100, quality: .uncalibrated)
            headings.process(state, allowsTrueHeading: false, clock: clock, pendingCallbacks: &callbacks)
        }
        var accuracies: [Double] = []
        while let item = callbacks.removeFirst() {
            if case .heading(let heading) = item { accuracies.append(heading.headingAccuracy) }
        }
        // 3 degrees of the filter and at least 3 of a uniform field: √18.
        #expect(abs((accuracies.last ?? 0) - 18.0.squareRoot()) < 1e-6)
    }
}
