// SPDX-License-Identifier: Apache-2.0

import CoreLocation
import DeviceCore
import Dispatch
import Foundation
import GPSDSource
import Synchronization

/// A device that reads from one gpsd, with a manager whose callbacks are recorded.
final class Recorder: NSObject, CLLocationManagerDelegate, @unchecked Sendable {
    enum Event: Sendable {
        case location(CLLocation)
        case error(CLError)
    }

    let source: GPSDSource
    let device: Device
    let manager: CLLocationManager
    let events = Journal<Event>()
    private let queue = DispatchQueue(label: "recorder")

    /// Timing with which a busy machine, which delays threads for seconds, does not count as a suspended process. After
    /// a suspension, only the newest reports would be delivered.
    static var patient: GPSDTiming {
        var timing = GPSDTiming()
        timing.suspensionThreshold = 600
        return timing
    }

    init(_ address: String, everyReport: Bool, timing: GPSDTiming = patient, sharing: Recorder? = nil) throws {
        let clock = LiveClock()
        source =
            try sharing?.source
            ?? GPSDSource(
                address: PositionSourceAddress(address), clock: clock, repairsWeekRollover: false, timing: timing)
        let device = Device(
            name: address, clock: clock, configuration: Configuration(), positionSource: source)
        self.device = device
        manager = Device.$current.withValue(device) { CLLocationManager() }
        super.init()
        manager.deliversEveryReport = everyReport
        manager.delegateQueue = queue
        manager.delegate = self
    }

    var locations: [CLLocation] {
        events.elements.compactMap { event in
            if case .location(let location) = event { location } else { nil }
        }
    }

    var errors: [CLError] {
        events.elements.compactMap { event in
            if case .error(let error) = event { error } else { nil }
        }
    }

    /// Waits for `count` locations and then for all pending callbacks.
    func settle(locations count: Int) async {
        _ = await events.wait { events in
            events.count { if case .location = $0 { true } else { false } } >= count
        }
        await withCheckedContinuation { continuation in queue.async { continuation.resume() } }
    }

    func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
        for location in locations { events.append(.location(location)) }
    }

    func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {
        if let error = error as? CLError { events.append(.error(error)) }
    }
}
