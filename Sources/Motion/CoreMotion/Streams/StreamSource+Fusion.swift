// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import MotionEngine

extension StreamSource<[FusedState]> {
    /// The device's attitude; with the magnetometer where north is needed.
    static func attitude(of device: Device, withNorth: Bool, latency: Double = 0) -> StreamSource {
        StreamSource(
            isAvailable: { MotionEngine.of(device).isAvailable(.attitude) }, endsLossesByInput: false
        ) { interval, receive in
            let need = withNorth ? FusionRequest.Need.heading : .attitude
            let request = FusionRequest(need: need, interval: interval, latency: latency)
            return MotionEngine.of(device).subscribe(request) { event in
                switch event {
                case .states(let states): receive(.input(states))
                case .lost(let kind, let error):
                    if concerns(kind, withNorth) { receive(.lost(kind, error)) }
                case .regained(let kind):
                    if concerns(kind, withNorth) { receive(.regained(kind)) }
                }
            }
        }
    }

    /// Others may have the engine use sensors that this stream does not need.
    private static func concerns(_ kind: SensorKind, _ withNorth: Bool) -> Bool {
        kind == .accelerometer || kind == .gyroscope || withNorth && kind == .magnetometer
    }
}
