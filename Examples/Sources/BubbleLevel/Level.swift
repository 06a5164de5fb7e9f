// SPDX-License-Identifier: Apache-2.0

import SensorFusion

/// The tilt of a board on a surface, computed from accelerations.
package struct Level {
    /// The side of the board that faces up.
    package enum Face: String, Codable, CodingKeyRepresentable, Sendable { case up, down }

    /// The angles by which the right edge and the top edge are raised, in degrees. Negative if they are lowered.
    package struct Tilt: Codable, Equatable, Sendable {
        package var right: Double
        package var top: Double

        /// Creates a tilt from two angles, in degrees.
        package init(right: Double, top: Double) { (self.right, self.top) = (right, top) }
    }

    /// The state to show.
    package enum State: Equatable, Sendable {
        /// The board stands on an edge or is held in a hand: it is more than 45° from lying flat.
        case standing
        /// The board lies with the given tilt relative to the calibrated surface or, without a calibration, to the
        /// horizontal.
        case lying(Tilt, Face, isCalibrated: Bool)
        /// The board lies flat, and the level is calibrated as soon as the board has been still for a second.
        case calibrating
    }

    /// The tilts that count as level.
    ///
    /// Each face has its own. A sensor has an offset and is mounted at a slight angle. If the board is turned over,
    /// only one of these two errors changes its sign, so the zero of one face does not apply to the other.
    package var zeros: [Face: Tilt]
    private var filter = LowPassFilter(timeConstant: 0.2)
    private var time: Double?
    private var average: Average?

    fileprivate struct Average {
        var sum = SIMD3<Double>.zero
        var count = 0.0
        var start: Double?
    }

    /// Creates a level with stored zeros.
    package init(zeros: [Face: Tilt] = [:]) { self.zeros = zeros }

    /// Calibrates the level to the surface on which the board lies. The board must not move for a second.
    package mutating func calibrate() { average = Average() }

    /// Processes an acceleration in g, as reported by Core Motion, and its time in seconds.
    package mutating func update(_ acceleration: SIMD3<Double>, at time: Double) -> State {
        // The direction opposite to gravity.
        let up = filter.update(-acceleration, interval: time - (self.time ?? time))
        self.time = time
        guard let tilt = Tilt(up), abs(up.z) > 0.5.squareRoot() * up.length else {
            average?.restart()
            return .standing
        }
        let face: Face = up.z > 0 ? .up : .down
        if average != nil {
            average?.add(-acceleration, at: time, isStill: (-acceleration - up).length < 0.05)
            guard let mean = average?.mean(at: time) else { return .calibrating }
            zeros[face] = Tilt(mean)
            average = nil
        }
        guard let zero = zeros[face] else { return .lying(tilt, face, isCalibrated: false) }
        return .lying(Tilt(right: tilt.right - zero.right, top: tilt.top - zero.top), face, isCalibrated: true)
    }
}

extension Level.Tilt {
    /// Returns nil in free fall, in which no direction is up.
    fileprivate init?(_ up: SIMD3<Double>) {
        guard up.length > 0.1 else { return nil }
        self.init(right: degrees(up.x / up.length), top: degrees(up.y / up.length))
    }
}

extension Level.Average {
    mutating func restart() { self = .init() }

    mutating func add(_ sample: SIMD3<Double>, at time: Double, isStill: Bool) {
        guard isStill else { return restart() }
        if start == nil { start = time }
        sum += sample
        count += 1
    }

    func mean(at time: Double) -> SIMD3<Double>? {
        guard let start, time - start >= 1, count >= 10 else { return nil }
        return sum / count
    }
}
