// SPDX-License-Identifier: Apache-2.0

import CoreLocation

/// Prints one line for each callback, with its kind, its age and the resources of the process.
final class StreamCommand: NSObject, CLLocationManagerDelegate {
    private let manager = CLLocationManager()

    static func run() {
        let command = StreamCommand()
        command.start()
        // The manager does not retain its delegate.
        withExtendedLifetime(command) { RunLoop.main.run() }
    }

    private func start() {
        manager.delegate = self
        manager.startUpdatingLocation()
    }

    func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
        for location in locations {
            let age = -location.timestamp.timeIntervalSinceNow
            show("location \(location.coordinate.latitude) \(age) \(entries("task")) \(entries("fd"))")
        }
    }

    func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {
        show("error \((error as NSError).domain) \((error as NSError).code)")
    }

    private func show(_ text: String) {
        FileHandle.standardOutput.write(Data((text + "\n").utf8))
    }

    private func entries(_ name: String) -> Int {
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/\(name)").count) ?? -1
    }
}
