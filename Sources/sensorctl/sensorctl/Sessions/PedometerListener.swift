// SPDX-License-Identifier: Apache-2.0

import CoreMotion
import Foundation

final class PedometerListener: StreamListener {
    let outlet: ReadingOutlet
    // Uses the main queue, because the outlet is used on the main thread.
    private let pedometer = CMPedometer(queue: .main)

    init(outlet: ReadingOutlet) { self.outlet = outlet }

    func start() {
        pedometer.startUpdatesFromNow { [weak self] data, error in
            if let error { self?.outlet.printUncounted(StreamFailure(stream: .steps, error: error)) }
            if let data { self?.outlet.print(PedometerReading(data)) }
        }
    }

    func end() { pedometer.stopUpdates() }
}

final class ActivityListener: StreamListener {
    let outlet: ReadingOutlet
    private let manager = CMMotionActivityManager()

    init(outlet: ReadingOutlet) { self.outlet = outlet }

    func start() {
        manager.startActivityUpdates(to: .main) { [weak self] activity in
            if let activity { self?.outlet.print(MotionActivityReading(activity)) }
        }
    }

    func end() { manager.stopActivityUpdates() }
}
