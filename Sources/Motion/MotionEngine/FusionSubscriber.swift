// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Synchronization

/// A subscriber of the engine.
final class FusionSubscriber: Sendable {
    let request: FusionRequest
    private let receive: @Sendable (FusionEvent) -> Void
    private let isActive = Atomic<Bool>(true)

    init(_ request: FusionRequest, receive: @escaping @Sendable (FusionEvent) -> Void) {
        self.request = request
        self.receive = receive
    }

    /// Delivers the event unless the subscription has been cancelled, which may happen during any callback.
    func deliver(_ event: FusionEvent) { if isActive.load(ordering: .acquiring) { receive(event) } }

    /// Stops the delivery of events.
    func cancel() { isActive.store(false, ordering: .releasing) }

    /// Returns true if losses of the sensor have to be reported to the subscriber.
    func needsSensor(_ sensor: SampleAligner.Sensor) -> Bool {
        switch sensor {
        case .accelerometer: true
        case .gyroscope: request.need >= .attitude
        case .magnetometer: request.need == .heading
        }
    }
}
