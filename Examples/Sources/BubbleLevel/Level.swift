// SPDX-License-Identifier: Apache-2.0

import SensorFusion

/// What accelerations say about a board that lies on a surface.
package struct Level {
    /// The side of the board that is up.
    package enum Face: String, Codable, CodingKeyRepresentable, Sendable { case up, down }

    /// How far the right edge and the top edge are higher than the opposite ones: degrees, negative when lower.
    package struct Tilt: Codable, Equatable, Sendable {
        package var right: Double
        package var top: Double

        /// Degrees.
        package init(right: Double, top: Double) { (self.right, self.top) = (right, top) }
    }

    /// What there is to show.
    package enum State: Equatable, Sendable {
        /// It stands on an edge, or is in somebody's hand: more than 45° from lying flat.
        case standing
        /// It lies, with that tilt against the surface that was called level, or against gravity when none was.
        case lying(Tilt, Face, isCalibrated: Bool)
        /// It lies, and its tilt becomes zero as soon as it has been still for a second.
        case calibrating
    }

    /// The tilts that count as level.
    ///
    /// There is one for each face. A sensor has an error of its own and is mounted a little crooked, and when the board is
    /// turned over one of the two changes its sign and the other does not. So a zero of one face says nothing of the other.
    package var zeros: [Face: Tilt]
    private var filter = LowPassFilter(timeConstant: 0.2)
    private var time: Double?
    private var average: Average?

    fileprivate struct Average {
        var sum = SIMD3<Double>.zero
        var count = 0.0
        var start: Double?
    }

    /// A level with the zeros that were kept.
    package init(zeros: [Face: Tilt] = [:]) { self.zeros = zeros }

    /// Calls the surface that the board lies on level. It takes a second without movement.
    package mutating func calibrate() { average = Average() }

    /// Takes an acceleration in g, as Core Motion gives it, and its time in seconds.
    package mutating func update(_ acceleration: SIMD3<Double>, at time: Double) -> State {
        // Against gravity, which is down.
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
    /// Nil in free fall, where nothing is up.
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
