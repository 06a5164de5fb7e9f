// SPDX-License-Identifier: Apache-2.0

import CoreLocation
import Dispatch

/// A program with an async main. Its manager and its callbacks belong to the main actor.
@main
@MainActor
final class AsyncMain: NSObject, @preconcurrency CLLocationManagerDelegate {
    private static let key: DispatchSpecificKey<Bool> = {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        return key
    }()
    private let manager = CLLocationManager()
    private var locations = 0
    private var continuation: CheckedContinuation<Void, Never>?

    static func main() async {
        // With this argument the manager is created after main has suspended once.
        if CommandLine.arguments.contains("late") { try? await Task.sleep(for: .milliseconds(1)) }
        let program = AsyncMain()
        await program.run()
        // Leaves one second for pending callbacks.
        try? await Task.sleep(for: .seconds(1))
        show("end")
    }

    func run() async {
        manager.delegate = self
        await withCheckedContinuation { continuation in
            self.continuation = continuation
            manager.startUpdatingLocation()
        }
    }

    func locationManager(_ manager: CLLocationManager, didUpdateLocations: [CLLocation]) {
        Self.show("location \(Self.place)\(continuation == nil ? " after stop" : "")")
        locations += 1
        guard locations == 5 else { return }
        manager.stopUpdatingLocation()
        continuation?.resume()
        continuation = nil
    }

    func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {
        Self.show("error \(Self.place)")
    }

    func locationManagerDidChangeAuthorization(_ manager: CLLocationManager) {
        Self.show("authorization \(Self.place)")
    }

    /// On Linux any thread may serve the main queue after an async main has suspended.
    private static var place: String { DispatchQueue.getSpecific(key: key) == true ? "main" : "elsewhere" }

    private static func show(_ text: String) {
        FileHandle.standardOutput.write(Data((text + "\n").utf8))
    }
}
