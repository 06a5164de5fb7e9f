// SPDX-License-Identifier: Apache-2.0

/// How a device has been held while its magnetometer was looked at, for a user who has to turn it.
package struct MagneticSurvey: Sendable, Equatable {
    /// The sides that have pointed up within 45 degrees, as axes of the device.
    package enum Side: String, Sendable, CaseIterable {
        case face, back, topEdge, bottomEdge, rightEdge, leftEdge

        /// Of length 1, in the device's axes.
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

    /// Those that are within 45 degrees of one of the directions, in the order of all.
    package static func sides(near directions: [SIMD3<Double>]) -> [Side] {
        Side.allCases.filter { side in directions.contains { side.isNear($0) } }
    }

    package static let sectorCount = 12

    /// In the order of all of them.
    package private(set) var sidesUp: [Side] = []
    /// Of twelve directions on the horizon, those it has pointed to.
    package private(set) var sectors = 0
    /// True when the device's own magnetism is known, as well as it is needed as the device is held.
    package private(set) var isCalibrated = false

    /// True when no other way of holding it is missing.
    package var isSeenAllRound: Bool { sectors >= Self.sectorCount - 3 && sidesUp.count >= 3 }

    /// Of samples with attitudes.
    init(_ samples: [MagneticSample], isCalibrated: Bool) {
        self.isCalibrated = isCalibrated
        var directions: Set<Int> = []
        for sample in samples {
            var axis = HeadingAxis()
            let heading = axis.direction(attitude: sample.attitude).heading
            directions.insert(Int(heading / 360 * Double(Self.sectorCount)))
        }
        sidesUp = Self.sides(near: samples.map(\.attitude.up))
        sectors = min(directions.count, Self.sectorCount)
    }
}

extension MagnetometerCalibrator {
    /// How the device has been held of late, as far as the next fit knows; nil without a gyroscope, where nobody can tell.
    package var survey: MagneticSurvey? {
        usesAttitude ? MagneticSurvey(reservoir.samples, isCalibrated: quality > .uncalibrated) : nil
    }
}
