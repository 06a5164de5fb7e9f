// SPDX-License-Identifier: Apache-2.0

import CoreLocation
import CoreMotion
import Foundation
import SystemCalls

/// Faults that the app injects into itself.
extension EnduringApp {
    /// Blocks the main thread, like an app that computes on it.
    func stall(_ id: Int, milliseconds: Int) {
        let end = ContinuousClock.now + .milliseconds(milliseconds)
        while ContinuousClock.now < end { usleep(10_000) }
        Lines.write("response", ["id": id])
    }

    // MARK: Short-lived managers

    /// Creates `count` managers, waits at most 30 s until each has received a callback, and releases them. Half of the
    /// managers are stopped first.
    func createManagers(_ id: Int, count: Int) {
        let managers = (0..<count).map { ShortLivedManager(usesMotion: $0 % 2 == 1) }
        wait(for: managers, until: .now + .seconds(30)) {
            for index in managers.indices where index % 4 < 2 { managers[index].stop() }
            Lines.write("response", ["id": id, "received": managers.count(where: \.hasReceived)])
        }
    }

    private func wait(
        for managers: [ShortLivedManager], until end: ContinuousClock.Instant, _ finish: @escaping @Sendable () -> Void
    ) {
        guard ContinuousClock.now < end, !managers.allSatisfy(\.hasReceived) else { return finish() }
        DispatchQueue.main.asyncAfter(deadline: .now() + 0.02) { self.wait(for: managers, until: end, finish) }
    }

    // MARK: Descriptors

    /// Opens files until the descriptor limit is reached, and then closes `count` descriptors.
    func useDescriptors(_ id: Int, leaving count: Int) {
        var limit = rlimit()
        getrlimit(Self.files, &limit)
        // The hard limit may be a million descriptors.
        limit.rlim_cur = min(limit.rlim_max, 1024)
        setrlimit(Self.files, &limit)
        while true {
            let descriptor = systemOpen("/dev/null", O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else { break }
            heldDescriptors.append(descriptor)
        }
        let number = errno
        for _ in 0..<min(count, heldDescriptors.count) { systemClose(heldDescriptors.removeLast()) }
        Lines.write("response", ["id": id, "held": heldDescriptors.count, "errno": Int(number)])
    }

    func freeDescriptors(_ id: Int) {
        for descriptor in heldDescriptors { systemClose(descriptor) }
        heldDescriptors = []
        Lines.write("response", ["id": id])
    }

    private static let files = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
}

/// A location or motion manager. Unchecked, because it is used only on the main thread.
private final class ShortLivedManager: NSObject, CLLocationManagerDelegate, @unchecked Sendable {
    private let locationManager: CLLocationManager?
    private let motionManager: CMMotionManager?
    private(set) var hasReceived = false

    init(usesMotion: Bool) {
        (locationManager, motionManager) = usesMotion ? (nil, CMMotionManager()) : (CLLocationManager(), nil)
        super.init()
        locationManager?.delegate = self
        locationManager?.startUpdatingLocation()
        motionManager?.startAccelerometerUpdates(to: .main) { [weak self] _, _ in self?.hasReceived = true }
    }

    func stop() {
        locationManager?.stopUpdatingLocation()
        motionManager?.stopAccelerometerUpdates()
    }

    func locationManager(_ manager: CLLocationManager, didUpdateLocations event: [CLLocation]) { hasReceived = true }

    func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {}
}
