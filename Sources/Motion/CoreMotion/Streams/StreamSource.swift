// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation

/// Where a stream's input comes from.
struct StreamSource<Input: Sendable>: Sendable {
    typealias Receiver = @Sendable (StreamEvent<Input>) -> Void

    /// True when the device has what it takes now.
    let isAvailable: @Sendable () -> Bool
    /// True when input says that no sensor is lost, which a source with one sensor does.
    let endsLossesByInput: Bool
    /// Subscribes for something every so many seconds, or for all that there is with 0.
    let subscribe: @Sendable (_ interval: TimeInterval, _ receive: @escaping Receiver) -> Subscription
}

extension StreamSource<MotionBatch> {
    /// The readings of one kind of sensor.
    static func sensor(_ kind: SensorKind, of device: Device, latency: TimeInterval) -> StreamSource {
        StreamSource(isAvailable: { device.has(kind) }, endsLossesByInput: true) { interval, receive in
            let request = MotionRequest(kind: kind, interval: interval, latency: latency)
            return device.motionSource.subscribe(request) { event in
                switch event {
                case .samples(let batch): receive(.input(batch))
                case .lost(let error): receive(.lost(kind, error))
                case .regained: receive(.regained(kind))
                }
            }
        }
    }
}
