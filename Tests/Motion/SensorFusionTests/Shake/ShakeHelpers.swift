// SPDX-License-Identifier: Apache-2.0

import Foundation
import SensorFusion

struct TimedShakeEvent: Equatable, CustomStringConvertible {
    let time: Double
    let event: ShakeEvent

    var description: String { "\(event) at \(time)" }
}

extension ShakeDetector {
    /// Updates the detector with samples at the given times and returns the events.
    mutating func feed(_ times: [Double], _ sample: (Double) -> SIMD3<Double>) -> [TimedShakeEvent] {
        times.compactMap { time in
            update(acceleration: sample(time), timestamp: time).map { TimedShakeEvent(time: time, event: $0) }
        }
    }

    mutating func feed(_ recording: [Recording.Sample]) -> [TimedShakeEvent] {
        recording.compactMap { sample in
            update(acceleration: sample.acceleration, timestamp: sample.time)
                .map { TimedShakeEvent(time: sample.time, event: $0) }
        }
    }
}

/// An upright device at rest that is shaken for some time: a sine along an axis, and a sideways movement at twice the
/// frequency, because the wrist moves along an arc.
struct Shaking {
    var start = 2.0
    var duration = 0.9
    var frequency = 4.0
    /// In g.
    var amplitude = 2.5
    var axis = SIMD3<Double>(1, 0, 0)
    var sideways = SIMD3<Double>.zero
    var gravity = SIMD3<Double>(0, -1, 0)

    func callAsFunction(_ time: Double) -> SIMD3<Double> {
        guard time >= start, time < start + duration else { return gravity }
        let phase = 2 * .pi * frequency * (time - start)
        return gravity + axis * (amplitude * sin(phase)) + sideways * (amplitude * cos(2 * phase))
    }
}
