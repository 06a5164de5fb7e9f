// SPDX-License-Identifier: Apache-2.0

import CoreLocation
import Dispatch
import Foundation
import SimulatedDevice
import Synchronization
import Trace

/// Small traces for tests.
enum Drive {
    /// Returns one report per second from 2026-05-01T10:00:00Z, each 0.1° further north.
    static func lines(_ count: Int, from first: Int = 0) -> [String] {
        (first..<first + count).map { second in
            let time = String(format: "2026-05-01T10:%02d:%02d.000Z", second / 60, second % 60)
            let latitude = Double(100 + second) / 10
            return #"{"class":"TPV","mode":3,"time":"\#(time)","lat":\#(latitude),"lon":11,"eph":5}"#
        }
    }

    static func file(_ lines: [String], name: String = "drive") throws -> TraceFile {
        try TraceFile(bytes: Array((lines.joined(separator: "\n") + "\n").utf8), name: name)
    }

    static func device(
        _ count: Int = 5, delivery: SimulatedDevice.CallbackDelivery = .inOrder
    ) throws -> SimulatedDevice {
        SimulatedDevice(try file(lines(count)), delivery: delivery)
    }

    /// The latitudes of a drive of `count` reports, in degrees.
    static func latitudes(_ count: Int) -> [Double] { (0..<count).map { Double(100 + $0) / 10 } }
}

/// Collects values in order from any thread.
final class ValueLog<Element: Sendable>: Sendable {
    private let state = Mutex<[Element]>([])

    func add(_ element: Element) { state.withLock { $0.append(element) } }

    var all: [Element] { state.withLock { $0 } }
}

/// A delegate that forwards each callback to a closure.
final class Listener: NSObject, CLLocationManagerDelegate, @unchecked Sendable {
    enum Callback {
        case location(CLLocation)
        case error(CLError)
        case authorization
    }

    private let handler: (CLLocationManager, Callback) -> Void

    init(_ handler: @escaping (CLLocationManager, Callback) -> Void) {
        self.handler = handler
    }

    func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
        for location in locations { handler(manager, .location(location)) }
    }

    func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {
        if let error = error as? CLError { handler(manager, .error(error)) }
    }

    func locationManagerDidChangeAuthorization(_ manager: CLLocationManager) { handler(manager, .authorization) }
}

/// Holds a manager and its delegate, so that a test can create them on one thread and release them on another.
final class LocationClient: @unchecked Sendable {
    var manager: CLLocationManager?
    var delegate: Listener?

    /// Creates and starts a manager on the current thread.
    func start(_ handler: @escaping (CLLocationManager, Listener.Callback) -> Void) {
        let delegate = Listener(handler)
        let manager = CLLocationManager()
        manager.delegate = delegate
        manager.startUpdatingLocation()
        self.delegate = delegate
        self.manager = manager
    }
}

/// True if the code runs on the main queue. The main queue does not necessarily use the main thread, because the test
/// runner's main function gives up that thread.
var isOnMainQueue: Bool { DispatchQueue.getSpecific(key: mainQueueKey) == true }

private let mainQueueKey: DispatchSpecificKey<Bool> = {
    let key = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: key, value: true)
    return key
}()
