// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import SensorFusion

/// Finds the device's own magnetism while it is turned into all directions.
struct MagnetometerTask: CalibrationTask {
    /// A good calibration ends it; one that will do ends it when that many seconds brought nothing better.
    private static let patience = 20.0
    /// Seconds between looks at how far it has come, which cost more than a reading.
    private static let pause = 0.2
    private static let maximumDirections = 2000

    let topic = CalibrationTopic.magnetometer
    private(set) var hint: String?
    private(set) var outcome: CalibrationOutcome?
    private var filter = AttitudeFilter()
    private var calibrator: MagnetometerCalibrator
    private var hasGyroscope = false
    private var candidate = MagneticCalibration()
    private var readings: [SIMD3<Double>] = []
    private var start: Double?
    private var lookedAt = -Double.infinity
    private var improvedAt = 0.0
    private var bestCoverage = 0.0
    private var now = 0.0

    init() { calibrator = MagnetometerCalibrator() }

    let instruction = "Turn the device slowly into all directions, as if drawing eights, away from iron and magnets."

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

    mutating func take(_ sample: CalibrationSample) {
        guard outcome == nil else { return }
        if sample.kind == .gyroscope {
            hasGyroscope = true
            filter.updateGyroscope(sample.value, timestamp: sample.seconds)
        } else if sample.kind == .accelerometer {
            filter.updateAccelerometer(sample.value, timestamp: sample.seconds)
        } else if sample.kind == .magnetometer {
            takeField(sample)
        }
    }

    private mutating func takeField(_ sample: CalibrationSample) {
        now = sample.seconds
        if start == nil {
            start = now
            improvedAt = now
        }
        keep(sample.value)
        let attitude = hasGyroscope && filter.isReady ? filter.attitude : nil
        _ = calibrator.update(sample.value, attitude: attitude, bias: filter.bias, timestamp: sample.seconds)
        guard now - lookedAt >= Self.pause || now < lookedAt else { return }
        lookedAt = now
        look()
    }

    private mutating func look() {
        let former = candidate.quality
        candidate = calibrator.candidate
        if candidate.coverage > bestCoverage + 0.02 || candidate.quality > former {
            bestCoverage = max(bestCoverage, candidate.coverage)
            improvedAt = now
        }
        hint = advice
        let calibration = calibrator.calibration
        if calibration.quality == .high || (calibration.quality == .medium && now - improvedAt > Self.patience) {
            outcome = .magnetometer(calibration)
        }
    }

    private var advice: String? {
        if candidate.fieldStrength.isFinite, !(0.2...0.7).contains(candidate.fieldStrength) {
            return String(
                format: "A field of %.0f µT is not the earth's: go away from iron, magnets and loudspeakers.",
                candidate.fieldStrength * 100)
        }
        if now - improvedAt > 6 {
            return "The same once more brings nothing new: tip it over another edge, and turn it upside down."
        }
        return nil
    }

    /// Keeps directions for the map, not a thousand of the same.
    private mutating func keep(_ value: SIMD3<Double>) {
        if let last = readings.last {
            let step = value - last
            guard (step * step).sum() > 0.0004 * (value * value).sum() else { return }
        }
        readings.append(value)
        if readings.count > Self.maximumDirections { readings.removeFirst(Self.maximumDirections / 4) }
    }

    var shortfall: String {
        let part = calibrator.candidate.coverage * 100
        let seen = String(format: "The field was seen in %.0f %% of all directions", part)
        return "\(seen), which is too little to know the device's own."
    }

    mutating func finish() -> Result<CalibrationOutcome, CalibrationShortfall> {
        if let outcome { return .success(outcome) }
        let calibration = calibrator.calibration
        if calibration.quality > .uncalibrated { return .success(.magnetometer(calibration)) }
        return .failure(CalibrationShortfall(reason: shortfall))
    }

    var map: SphereMap? { SphereMap(readings, center: candidate.hardIron) }
}
