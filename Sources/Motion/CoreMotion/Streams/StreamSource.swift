// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import MotionEngine

/// Where a stream's input comes from.
struct StreamSource<Input: Sendable>: Sendable {
    typealias Receiver = @Sendable (StreamEvent<Input>) -> Void

    /// True when the device has what it takes now.
    let isAvailable: @Sendable () -> Bool
    /// True when input says that no sensor is lost, which a source with one sensor does.
    let endsLossesByInput: Bool
    /// Subscribes for something every so many seconds, or for all that there is with 0; with where it will be told.
    let subscribe:
        @Sendable (_ interval: TimeInterval, _ place: DirectPlace?, _ receive: @escaping Receiver) -> Subscription
}

extension StreamSource<MotionBatch> {
    /// The readings of one kind of sensor.
    static func sensor(_ kind: SensorKind, of device: Device, latency: TimeInterval) -> StreamSource {
        StreamSource(isAvailable: { device.has(kind) }, endsLossesByInput: true) { interval, place, receive in
            var request = MotionRequest(kind: kind, interval: interval, latency: latency)
            request.place = place
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

extension StreamSource<[FusedState]> {
    /// The device's attitude; with the magnetometer where north is needed.
    static func attitude(of device: Device, withNorth: Bool, latency: Double = 0) -> StreamSource {
        StreamSource(
            isAvailable: { MotionEngine.of(device).isAvailable(.attitude) }, endsLossesByInput: false
        ) { interval, place, receive in
            let need = withNorth ? FusionRequest.Need.heading : .attitude
            var request = FusionRequest(need: need, interval: interval, latency: latency)
            request.place = place
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

/// What a stream's source has to say.
enum StreamEvent<Input: Sendable>: Sendable {
    /// Something has been measured.
    case input(Input)
    /// A sensor gives nothing for now, and why. Indirect, so that the others are passed on quickly.
    indirect case lost(SensorKind, DeviceError)
    /// A sensor is back.
    case regained(SensorKind)
}

/// What an interval that a program wrote means for the sensor.
enum SensorInterval {
    /// Nobody waits for longer than a day; it also keeps the infinite interval a very slow one.
    static let longest: TimeInterval = 86_400

    /// Seconds between readings; 0 for the fastest that the sensor can do, which is what 0, less and NaN ask for.
    ///
    /// The source holds it to what the sensor offers.
    static func effective(_ interval: TimeInterval) -> TimeInterval { interval > 0 ? min(interval, longest) : 0 }
}

extension Device {
    /// True when it has a sensor of that kind now.
    func has(_ kind: SensorKind) -> Bool { sensor(kind) != nil }

    /// Whether programs may use a sensor of that kind: authorized where there is one that can be read.
    func authorization(_ kind: SensorKind) -> CMAuthorizationStatus { has(kind) ? .authorized : .notDetermined }

    /// The best sensor of that kind.
    func sensor(_ kind: SensorKind) -> SensorDescription? { motionSource.sensors.first { $0.kind == kind } }
}
