// SPDX-License-Identifier: Apache-2.0

/// The device orientations covered by a magnetometer calibration, used to guide the user in rotating the device.
package struct PoseCoverage: Sendable, Equatable {
    /// A side of the device, represented by a device axis.
    package enum Side: String, Sendable, CaseIterable {
        case face, back, topEdge, bottomEdge, rightEdge, leftEdge

        package var axis: SIMD3<Double> {
            switch self {
            case .face: SIMD3(0, 0, 1)
            case .back: SIMD3(0, 0, -1)
            case .topEdge: SIMD3(0, 1, 0)
            case .bottomEdge: SIMD3(0, -1, 0)
            case .rightEdge: SIMD3(1, 0, 0)
            case .leftEdge: SIMD3(-1, 0, 0)
            }
        }

        fileprivate func isNear(_ direction: SIMD3<Double>) -> Bool { (direction * axis).sum() > 0.5.squareRoot() }
    }

    /// Returns the sides within 45 degrees of any of the directions, in the order of `Side.allCases`.
    package static func sides(near directions: [SIMD3<Double>]) -> [Side] {
        Side.allCases.filter { side in directions.contains { side.isNear($0) } }
    }

    package static let sectorCount = 12
    /// The sides that faced up in at least one sample, in the order of `Side.allCases`.
    package private(set) var sidesUp: [Side] = []
    /// The number of sectors that the heading has covered, out of twelve around the horizon.
    package private(set) var sectorsCovered = 0
    /// True if the device's own magnetic field is known well enough for the current orientation.
    package private(set) var isCalibrated = false

    package var hasSufficientPoses: Bool { sectorsCovered >= Self.sectorCount - 3 && sidesUp.count >= 3 }

    init(_ samples: [MagneticSample], isCalibrated: Bool) {
        self.isCalibrated = isCalibrated
        var directions: Set<Int> = []
        for sample in samples {
            var axis = HeadingAxis()
            let heading = axis.direction(attitude: sample.attitude).heading
            directions.insert(Int(heading / 360 * Double(Self.sectorCount)))
        }
        sidesUp = Self.sides(near: samples.map(\.attitude.up))
        sectorsCovered = min(directions.count, Self.sectorCount)
    }
}

extension MagnetometerCalibrator {
    /// The orientations covered by the samples for the next fit, or nil if there is no gyroscope.
    package var poseCoverage: PoseCoverage? {
        usesAttitude ? PoseCoverage(reservoir.samples, isCalibrated: quality > .uncalibrated) : nil
    }
}
