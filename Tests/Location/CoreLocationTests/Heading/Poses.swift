// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import MotionEngine
import SensorFusion
import Synchronization

@testable import CoreLocation

/// An orientation of a device in space, given by the directions of its axes in east, north, up.
struct Pose {
    var x: SIMD3<Double>
    var y: SIMD3<Double>
    var z: SIMD3<Double>

    /// On a table with its face up.
    static let flat = Pose(x: [1, 0, 0], y: [0, 1, 0], z: [0, 0, 1])

    /// Returns the pose on a table with the top edge at that heading, in degrees clockwise from north.
    static func flat(heading: Double) -> Pose { flat.rotated(by: heading) }

    /// Returns the pose turned clockwise by a number of degrees, as seen from above.
    func rotated(by degrees: Double) -> Pose {
        // A clockwise turn rotates north (y) to east (x).
        let (sine, cosine) = (sin(degrees * .pi / 180), cos(degrees * .pi / 180))
        func rotate(_ v: SIMD3<Double>) -> SIMD3<Double> {
            [v.x * cosine + v.y * sine, v.y * cosine - v.x * sine, v.z]
        }
        return Pose(x: rotate(x), y: rotate(y), z: rotate(z))
    }

    /// The rotation from the device's axes to east, north, up. The columns of its matrix are the axes.
    var quaternion: Quaternion {
        // The largest component is computed from the diagonal, the others from sums and differences across it.
        let (xx, yy, zz) = (x.x, y.y, z.z)
        let candidates = [1 + xx + yy + zz, 1 + xx - yy - zz, 1 - xx + yy - zz, 1 - xx - yy + zz]
        let greatest = candidates.indices.max { candidates[$0] < candidates[$1] } ?? 0
        let s = 2 * candidates[greatest].squareRoot()
        switch greatest {
        case 0: return Quaternion(x: (y.z - z.y) / s, y: (z.x - x.z) / s, z: (x.y - y.x) / s, w: s / 4)
        case 1: return Quaternion(x: s / 4, y: (y.x + x.y) / s, z: (z.x + x.z) / s, w: (y.z - z.y) / s)
        case 2: return Quaternion(x: (y.x + x.y) / s, y: s / 4, z: (z.y + y.z) / s, w: (z.x - x.z) / s)
        default: return Quaternion(x: (z.x + x.z) / s, y: (z.y + y.z) / s, z: s / 4, w: (x.y - y.x) / s)
        }
    }
}

extension FusedState {
    /// Creates the state of a calibrated device in a pose, at a number of seconds after the start of the device's
    /// clock.
    init(
        _ pose: Pose, at seconds: Double = 0, quality: MagneticQuality = .high, isDisturbed: Bool = false,
        uncertainty: Double = 3, hardIron: SIMD3<Double> = .zero
    ) {
        self.init(time: BootTime.zero.advanced(bySeconds: seconds))
        // The x axis of the reference frame points 30 degrees north of east.
        attitude = Quaternion(aboutZ: -.pi / 6) * pose.quaternion
        northOffset = .pi / 6
        headingUncertainty = uncertainty * .pi / 180
        // 20 microtesla to the north and 43 down, in gauss.
        let earth = SIMD3(0, 0.20, -0.43)
        magneticField = SIMD3((pose.x * earth).sum(), (pose.y * earth).sum(), (pose.z * earth).sum()) + hardIron
        magneticQuality = quality
        isMagneticallyDisturbed = isDisturbed
    }
}

/// A delegate that records heading and location callbacks.
final class Compass: NSObject, CLLocationManagerDelegate, @unchecked Sendable {
    private let state = Mutex<(headings: [CLHeading], errors: [CLError], events: [String])>(([], [], []))
    var onHeading: ((CLLocationManager, CLHeading) -> Void)?

    var headings: [CLHeading] { state.withLock { $0.headings } }
    var errors: [CLError] { state.withLock { $0.errors } }
    /// All callbacks in order, such as "heading 90", "error 3", "question" and "location 48.0".
    var events: [String] { state.withLock { $0.events } }
    /// The magnetic headings in whole degrees.
    var degrees: [Int] { headings.map { Int($0.magneticHeading.rounded()) % 360 } }

    func locationManager(_ manager: CLLocationManager, didUpdateHeading newHeading: CLHeading) {
        state.withLock { state in
            state.headings.append(newHeading)
            state.events.append("heading \(Int(newHeading.magneticHeading.rounded()) % 360)")
        }
        onHeading?(manager, newHeading)
    }

    func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
        state.withLock { $0.events += locations.map { "location \($0.coordinate.latitude)" } }
    }

    func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {
        guard let error = error as? CLError else { return }
        state.withLock { state in
            state.errors.append(error)
            state.events.append("error \(error.code.rawValue)")
        }
    }

    func locationManagerShouldDisplayHeadingCalibration(_ manager: CLLocationManager) -> Bool {
        state.withLock { $0.events.append("question") }
        return true
    }
}
