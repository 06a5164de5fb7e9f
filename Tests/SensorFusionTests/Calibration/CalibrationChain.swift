// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import SensorFusion

/// A recording of the BROAD collection; units and origin are in Simulators/Traces/broad/README.md.
struct CalibrationTrial {
    struct Malformed: Error {}

    static let interval = 0.0105

    var rates: [SIMD3<Double>] = []
    var accelerations: [SIMD3<Double>] = []
    /// Microtesla, as the sensor came from its factory.
    var fields: [SIMD3<Double>] = []
    /// The camera's attitude in motion, by row.
    var truth: [(row: Int, attitude: Quaternion)] = []

    init(_ name: String) throws {
        var root = URL(fileURLWithPath: #filePath)
        for _ in 0..<4 { root.deleteLastPathComponent() }
        let file = root.appendingPathComponent("Simulators/Traces/broad/broad_\(name).csv")
        let bytes = [UInt8](try Data(contentsOf: file))
        var row = 0
        for line in bytes.split(separator: UInt8(ascii: "\n")).dropFirst() {
            let v = Self.integers(line)
            guard v.count == 9 || v.count == 14 else { throw Malformed() }
            rates.append(SIMD3(v[0], v[1], v[2]) * 1e-4)
            accelerations.append(SIMD3(v[3], v[4], v[5]) * 1e-3)
            fields.append(SIMD3(v[6], v[7], v[8]) * 0.1)
            if v.count == 14, v[13] > 0 {
                truth.append((row, Quaternion(x: v[10], y: v[11], z: v[12], w: v[9]).normalized))
            }
            row += 1
        }
    }

    private static func integers(_ line: ArraySlice<UInt8>) -> [Double] {
        var values: [Double] = []
        var value = 0
        var sign = 1
        for byte in line {
            switch byte {
            case UInt8(ascii: ","):
                values.append(Double(sign * value))
                (value, sign) = (0, 1)
            case UInt8(ascii: "-"): sign = -1
            case UInt8(ascii: "0")...UInt8(ascii: "9"): value = value * 10 + Int(byte - UInt8(ascii: "0"))
            default: break
            }
        }
        values.append(Double(sign * value))
        return values
    }

    /// Heading error in degrees over the samples of the second half, by BROAD's rule: e = q · q_true*, 2·atan |z / w|.
    func headingError(_ attitudes: [Quaternion], from: Double = 0.5) -> Double {
        var squares = 0.0
        var count = 0.0
        for (row, attitude) in truth where Double(row) >= from * Double(rates.count) {
            let error = attitudes[row] * attitude.conjugate
            let heading = 2 * atan2(abs(error.z), abs(error.w)) * 180 / .pi
            squares += heading * heading
            count += 1
        }
        return (squares / count).squareRoot()
    }
}

/// The experiment's distortion: measured = soft · field + hard.
enum Distortion {
    static let hard = SIMD3<Double>(25, -40, 15)
    static let soft: (SIMD3<Double>, SIMD3<Double>, SIMD3<Double>) = (
        [1.12, 0.05, -0.05], [0.05, 0.88, 0.05], [-0.05, 0.05, 1.0]
    )

    static func apply(_ field: SIMD3<Double>) -> SIMD3<Double> {
        SIMD3((soft.0 * field).sum(), (soft.1 * field).sum(), (soft.2 * field).sum()) + hard
    }
}

/// Filter, calibrator and filter in a row, as a motion engine has them.
struct CalibrationChain {
    var attitudes: [Quaternion] = []
    var calibrator: MagnetometerCalibrator
    var corrections = 0
    /// The row at which the correction changed last.
    var lastCorrection = 0

    /// - Parameter frozenFrom: The row from which on the calibration in force is kept.
    init(
        _ trial: CalibrationTrial, distorted: Bool, start: MagneticCalibration? = nil, frozenFrom: Int = .max,
        isCalibrating: Bool = true
    ) {
        calibrator = MagnetometerCalibrator(start: start)
        var filter = AttitudeFilter()
        attitudes.reserveCapacity(trial.rates.count)
        var calibration = calibrator.calibration
        for row in trial.rates.indices {
            let time = Double(row) * CalibrationTrial.interval
            filter.updateGyroscope(trial.rates[row], timestamp: time)
            filter.updateAccelerometer(trial.accelerations[row], timestamp: time)
            let field = distorted ? Distortion.apply(trial.fields[row]) : trial.fields[row]
            if isCalibrating, row < frozenFrom,
                calibrator.update(field, attitude: filter.attitude, timestamp: time)
            {
                if !calibrator.calibration.correctsTheSame(as: calibration) {
                    corrections += 1
                    lastCorrection = row
                    filter.restartMagnetometer(
                        strength: calibrator.calibration.fieldStrength, dip: calibrator.calibration.dip)
                }
                calibration = calibrator.calibration
            }
            filter.updateMagnetometer(calibration.apply(to: field), timestamp: time)
            attitudes.append(Quaternion(aboutZ: filter.northOffset ?? 0) * filter.attitude)
        }
    }
}
