// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import TestSupport

@testable import CoreLocation

/// A drive past or through a circle, in metres from its centre, with one fix per second. The true path is known.
struct SyntheticDrive {
    let radius: Double
    /// Metres per second.
    let speeds: [Double]
    let path: [(x: Double, y: Double)]

    /// Creates a straight or curved path at 3 to 30 m/s at a random distance from the centre. Three in ten drives have
    /// a stop of 20 to 120 seconds.
    init(_ random: inout SeededGenerator) {
        let radii: [Double] = [100, 150, 200, 300, 500]
        let radius: Double = radii.randomElement(using: &random) ?? 100
        let speed: Double = .random(in: 3...30, using: &random)
        let half = radius + max(300, 20 * speed)
        let bend = Bool.random(using: &random) ? Double.random(in: -1...1, using: &random) / 800 : 0
        let stops = Double.random(in: 0...1, using: &random) < 0.3
        let stop = Double.random(in: -half...half, using: &random)
        let pause = Int.random(in: 20...120, using: &random)
        var (x, y, heading) = (-half, radius * Double.random(in: -1.6...1.6, using: &random), 0.0)
        var path: [(x: Double, y: Double)] = []
        var speeds: [Double] = []
        while x < half {
            if stops, path.last.map({ $0.x < stop }) ?? false, x >= stop {
                path += Array(repeating: (x, y), count: pause)
                speeds += Array(repeating: 0, count: pause)
            }
            path.append((x, y))
            speeds.append(speed)
            (x, y) = (x + speed * cos(heading), y + speed * sin(heading))
            if abs(heading) < 0.6 { heading += speed * bend }
        }
        (self.radius, self.path, self.speeds) = (radius, path, speeds)
    }

    /// The distances of the path from the border, positive inside.
    var margins: [Double] { path.map { radius - ($0.x * $0.x + $0.y * $0.y).squareRoot() } }

    /// The indices of the first points on the other side of the border.
    var crossings: [Int] {
        let margins = margins
        return margins.indices.dropFirst().filter { (margins[$0] >= 0) != (margins[$0 - 1] >= 0) }
    }

    /// The kinds of receiver errors.
    enum Noise: CaseIterable {
        /// Independent errors in each fix.
        case white
        /// Correlated errors with a time constant of one minute.
        case slow
        /// Mostly correlated errors, with independent ones added.
        case mixed
    }

    /// Returns errors with a standard deviation of `sigma` per axis, in metres.
    static func errors(_ count: Int, _ sigma: Double, _ noise: Noise, _ random: inout SeededGenerator) -> [(
        x: Double, y: Double
    )] {
        let (slow, white) =
            switch noise {
            case .white: (0.0, sigma)
            case .slow: (sigma, 0.0)
            case .mixed: (sigma * 0.75.squareRoot(), sigma / 2)
            }
        // A first-order Gauss-Markov process with a time constant of 60 seconds.
        let keep = exp(-1.0 / 60)
        var drift = random.normal(slow)
        return (0..<count).map { _ in
            defer { drift = drift * keep + random.normal(slow * (1 - keep * keep).squareRoot()) }
            let jump = random.normal(white)
            return (drift.x + jump.x, drift.y + jump.y)
        }
    }

    /// Returns the fixes of a receiver with those errors, which reports the given accuracy.
    func fixes(_ errors: [(x: Double, y: Double)], accuracy: Double, includesSpeed: Bool = true) -> [TrackedFix] {
        path.indices.map { index in
            let (x, y) = (path[index].x + errors[index].x, path[index].y + errors[index].y)
            return TrackedFix(
                coordinate: CLLocationCoordinate2D(latitude: y / 111_200, longitude: x / 111_200), accuracy: accuracy,
                speed: includesSpeed ? speeds[index] : -1, timestamp: Double(index),
                arrival: BootTime.zero.advanced(bySeconds: Double(index)))
        }
    }
}

/// A reported crossing: the fix at which it was reported, the fix at which it occurred, and its direction.
struct ReportedCrossing {
    var received: Int
    var crossed: Int
    var isInside: Bool
}

extension SyntheticDrive {
    /// Returns the crossings that the region tracker reports for those fixes.
    func received(_ fixes: [TrackedFix], rules: CrossingThresholds = CrossingThresholds()) -> [ReportedCrossing] {
        var track = FixStatistics()
        var tracker = RegionTracker()
        var received: [ReportedCrossing] = []
        for (index, fix) in fixes.enumerated() where track.accept(fix) {
            let wasKnown = tracker.state != .unknown
            let (x, y) = (fix.coordinate.longitude * 111_200, fix.coordinate.latitude * 111_200)
            let distance = (x * x + y * y).squareRoot()
            guard
                let change = tracker.accept(fix, distance: distance, radius: radius, track: track, rules: rules),
                wasKnown
            else { continue }
            received.append(
                ReportedCrossing(received: index, crossed: Int(change.timestamp), isInside: change.state == .inside))
        }
        return received
    }
}
