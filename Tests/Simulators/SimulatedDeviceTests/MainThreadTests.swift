// SPDX-License-Identifier: Apache-2.0

import CoreLocation
import Dispatch
import Foundation
import SimulatedDevice
import Testing

/// A view controller bound to the main actor, as in published apps.
@MainActor
private final class LocationViewController: NSObject, @preconcurrency CLLocationManagerDelegate {
    let manager = CLLocationManager()
    private(set) var latitudes: [Double] = []
    private(set) var strayCallbacks = 0

    func appear() {
        manager.delegate = self
        manager.startUpdatingLocation()
    }

    func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
        if !isOnMainQueue { strayCallbacks += 1 }
        latitudes += locations.map(\.coordinate.latitude)
    }
}

@Suite("Playback and the main thread", .timeLimit(.minutes(30)))
struct MainThreadTests {
    @Test("A synchronous play() on a pool thread drives a main-actor delegate")
    func drivesMainActorFromPool() async throws {
        let device = try Drive.device(40)
        let controller = await MainActor.run {
            device.use { () -> LocationViewController in
                let controller = LocationViewController()
                controller.appear()
                return controller
            }
        }
        await Task.detached {
            #expect(!isOnMainQueue)
            playSynchronously(device)
        }.value
        #expect(await controller.latitudes == Drive.latitudes(40))
        #expect(await controller.strayCallbacks == 0)
    }

    @Test("An asynchronous play() on a pool thread drives a main-actor delegate")
    func drivesMainActorFromAsyncPool() async throws {
        let device = try Drive.device(40)
        let controller = await MainActor.run {
            device.use { () -> LocationViewController in
                let controller = LocationViewController()
                controller.appear()
                return controller
            }
        }
        try await device.play()
        #expect(await controller.latitudes == Drive.latitudes(40))
        #expect(await controller.strayCallbacks == 0)
    }

    @Test("play() on the main thread runs its callbacks synchronously")
    @MainActor
    func playsInPlace() throws {
        let device = try Drive.device(10)
        device.use {
            let controller = LocationViewController()
            controller.appear()
            #expect(controller.latitudes.isEmpty)
            playSynchronously(device)
            // The main queue has not been drained in between.
            #expect(controller.latitudes == Drive.latitudes(10))
        }
    }

    @Test("An asynchronous play() on the main actor drives the managers of the main actor")
    @MainActor
    func playsAsynchronouslyOnMain() async throws {
        let device = try Drive.device(10)
        let controller = device.use { LocationViewController() }
        controller.appear()
        try await device.play()
        #expect(controller.latitudes == Drive.latitudes(10))
        #expect(controller.strayCallbacks == 0)
    }

    @Test("Callbacks of managers on the main thread and on other threads keep one order")
    func keepsOneOrder() async throws {
        let device = try Drive.device(20)
        let log = ValueLog<String>()
        let here = LocationClient()
        let main = LocationClient()
        device.use {
            here.start { _, callback in
                if case .location(let location) = callback { log.add("here \(location.coordinate.latitude)") }
            }
        }
        await MainActor.run {
            device.use {
                main.start { _, callback in
                    if case .location(let location) = callback { log.add("main \(location.coordinate.latitude)") }
                }
            }
        }
        try await device.play()
        let expected = Drive.latitudes(20).flatMap { ["here \($0)", "main \($0)"] }
        #expect(log.all == expected)
    }
}

/// Calls the synchronous `play()`. In an async context the compiler would choose the asynchronous overload.
/// An error fails the test.
func playSynchronously(_ device: SimulatedDevice) {
    do { try device.play() } catch { Issue.record(error) }
}
