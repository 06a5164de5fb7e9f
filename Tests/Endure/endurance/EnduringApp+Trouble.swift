// SPDX-License-Identifier: Apache-2.0

import CoreLocation
import CoreMotion
import Foundation
import SystemCalls

/// Disturbances that the app causes itself.
extension EnduringApp {
    /// Blocks the main thread, like an app that computes on it.
    func stall(_ id: Int, milliseconds: Int) {
        let end = ContinuousClock.now + .milliseconds(milliseconds)
        while ContinuousClock.now < end { usleep(10_000) }
        Lines.say("answer", ["id": id])
    }

    // MARK: Short-lived managers

    /// Creates `count` managers, waits at most 30 s until each has received a callback, and releases them. Half of the
    /// managers are stopped first.
    func crowd(_ id: Int, _ count: Int) {
        let members = (0..<count).map { CrowdMember(usesMotion: $0 % 2 == 1) }
        wait(for: members, until: .now + .seconds(30)) {
            for (place, member) in members.enumerated() where place % 4 < 2 { member.stop() }
            Lines.say("answer", ["id": id, "heard": members.count(where: \.hasHeard)])
        }
    }

    private func wait(
        for members: [CrowdMember], until end: ContinuousClock.Instant, _ done: @escaping @Sendable () -> Void
    ) {
        guard ContinuousClock.now < end, !members.allSatisfy(\.hasHeard) else { return done() }
        DispatchQueue.main.asyncAfter(deadline: .now() + 0.02) { self.wait(for: members, until: end, done) }
    }

    // MARK: Descriptors

    /// Opens files until the system refuses, and closes `count` descriptors again.
    func useDescriptors(_ id: Int, leaving count: Int) {
        var limit = rlimit()
        getrlimit(Self.files, &limit)
        // The system may allow a million.
        limit.rlim_cur = min(limit.rlim_max, 1024)
        setrlimit(Self.files, &limit)
        while true {
            let descriptor = systemOpen("/dev/null", O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else { break }
            heldDescriptors.append(descriptor)
        }
        let number = errno
        for _ in 0..<min(count, heldDescriptors.count) { systemClose(heldDescriptors.removeLast()) }
        Lines.say("answer", ["id": id, "held": heldDescriptors.count, "errno": Int(number)])
    }

    func freeDescriptors(_ id: Int) {
        for descriptor in heldDescriptors { systemClose(descriptor) }
        heldDescriptors = []
        Lines.say("answer", ["id": id])
    }

    private static let files = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
}

/// One of many managers. Unchecked, because everything happens on the main thread.
private final class CrowdMember: NSObject, CLLocationManagerDelegate, @unchecked Sendable {
    private let locationManager: CLLocationManager?
    private let motionManager: CMMotionManager?
    private(set) var hasHeard = false

    init(usesMotion: Bool) {
        (locationManager, motionManager) = usesMotion ? (nil, CMMotionManager()) : (CLLocationManager(), nil)
        super.init()
        locationManager?.delegate = self
        locationManager?.startUpdatingLocation()
        motionManager?.startAccelerometerUpdates(to: .main) { [weak self] _, _ in self?.hasHeard = true }
    }

    func stop() {
        locationManager?.stopUpdatingLocation()
        motionManager?.stopAccelerometerUpdates()
    }

    func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) { hasHeard = true }

    func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {}
}
