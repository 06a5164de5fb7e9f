// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Synchronization

/// One subscriber of the engine.
final class FusionClient: Sendable {
    let request: FusionRequest
    private let receive: @Sendable (FusionEvent) -> Void
    private let isActive = Atomic<Bool>(true)

    init(_ request: FusionRequest, receive: @escaping @Sendable (FusionEvent) -> Void) {
        self.request = request
        self.receive = receive
    }

    /// Hands over the event unless the subscriber has left, which it or another one may do in a callback.
    func tell(_ event: FusionEvent) { if isActive.load(ordering: .acquiring) { receive(event) } }

    /// Nothing is handed over from now on.
    func leave() { isActive.store(false, ordering: .releasing) }

    /// True when it wants to know what becomes of that sensor.
    func cares(for sensor: SampleAligner.Sensor) -> Bool {
        switch sensor {
        case .accelerometer: true
        case .gyroscope: request.need >= .attitude
        case .magnetometer: request.need == .heading
        }
    }
}
