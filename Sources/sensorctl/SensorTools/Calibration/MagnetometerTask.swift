// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import SensorFusion

/// Calibrates the magnetometer while the user turns the device in all directions.
struct MagnetometerTask: CalibrationTask {
    /// The time without improvement, in seconds, after which medium quality is accepted.
    private static let improvementTimeout = 20.0
    /// The minimum interval between evaluations, in seconds. Evaluations are expensive.
    private static let evaluationInterval = 0.2
    private static let maximumDirections = 2000

    let topic = CalibrationTopic.magnetometer
    private(set) var hint: String?
    private(set) var outcome: CalibrationOutcome?
    private var filter = AttitudeFilter()
    private var calibrator = MagnetometerCalibrator()
    private var hasGyroscope = false
    private var candidate = MagneticCalibration()
    private var readings: [SIMD3<Double>] = []
    private var start: Double?
    private var evaluatedAt = -Double.infinity
    private var improvedAt = 0.0
    private var bestCoverage = 0.0
    private var now = 0.0

    let instruction =
        "Turn the device slowly in all directions, as if drawing figures of eight, away from iron and magnets."

    var progress: Double { outcome == nil ? min(max(candidate.coverage, 0), 0.99) : 1 }

    var status: String {
        var parts = [String(format: "coverage %.0f %%", candidate.coverage * 100)]
        if candidate.residual.isFinite { parts.append(String(format: "residual %.1f %%", candidate.residual * 100)) }
        if candidate.fieldStrength.isFinite {
            parts.append(String(format: "field %.1f µT", candidate.fieldStrength * 100))
        }
        parts.append("\(candidate.quality)")
        return parts.joined(separator: "   ")
    }

    mutating func process(_ sample: CalibrationSample) {
        guard outcome == nil else { return }
        if sample.kind == .gyroscope {
            hasGyroscope = true
            filter.updateGyroscope(sample.value, timestamp: sample.seconds)
        } else if sample.kind == .accelerometer {
            filter.updateAccelerometer(sample.value, timestamp: sample.seconds)
        } else if sample.kind == .magnetometer {
            processField(sample)
        }
    }

    private mutating func processField(_ sample: CalibrationSample) {
        now = sample.seconds
        if start == nil {
            start = now
            improvedAt = now
        }
        storeDirection(sample.value)
        let attitude = hasGyroscope && filter.isReady ? filter.attitude : nil
        _ = calibrator.update(sample.value, attitude: attitude, bias: filter.bias, timestamp: sample.seconds)
        guard now - evaluatedAt >= Self.evaluationInterval || now < evaluatedAt else { return }
        evaluatedAt = now
        evaluate()
    }

    private mutating func evaluate() {
        let previous = candidate.quality
        candidate = calibrator.candidate
        if candidate.coverage > bestCoverage + 0.02 || candidate.quality > previous {
            bestCoverage = max(bestCoverage, candidate.coverage)
            improvedAt = now
        }
        hint = advice
        let calibration = calibrator.calibration
        if calibration.quality == .high
            || (calibration.quality == .medium && now - improvedAt > Self.improvementTimeout)
        {
            outcome = .magnetometer(calibration)
        }
    }

    private var advice: String? {
        if candidate.fieldStrength.isFinite, !(0.2...0.7).contains(candidate.fieldStrength) {
            return String(
                format: "A field of %.0f µT is not the Earth's. Move away from iron, magnets and loudspeakers.",
                candidate.fieldStrength * 100)
        }
        if now - improvedAt > 6 {
            return "The same movement adds nothing new. Tilt the device over another edge, and turn it upside down."
        }
        return nil
    }

    /// Stores a reading if it differs from the last stored reading by more than 2 % of the new reading's magnitude.
    private mutating func storeDirection(_ value: SIMD3<Double>) {
        if let last = readings.last {
            let step = value - last
            guard (step * step).sum() > 0.0004 * (value * value).sum() else { return }
        }
        readings.append(value)
        if readings.count > Self.maximumDirections { readings.removeFirst(Self.maximumDirections / 4) }
    }

    var failureReason: String {
        let part = calibrator.candidate.coverage * 100
        return String(
            format: "The readings cover %.0f %% of all directions, which is too little to determine the device's own "
                + "magnetic field.", part)
    }

    mutating func finish() -> Result<CalibrationOutcome, CalibrationFailure> {
        if let outcome { return .success(outcome) }
        let calibration = calibrator.calibration
        if calibration.quality > .uncalibrated { return .success(.magnetometer(calibration)) }
        return .failure(CalibrationFailure(reason: failureReason))
    }

    var map: SphereMap? { SphereMap(readings, center: candidate.hardIron) }
}
