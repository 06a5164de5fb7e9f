// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import MotionEngine

/// The input of a `SensorStream`: a sensor, the motion engine or the step engine.
struct StreamSource<Input: Sendable>: Sendable {
    typealias Receiver = @Sendable (StreamEvent<Input>) -> Void

    let isAvailable: @Sendable () -> Bool
    /// True if the source has a single sensor, so that any input implies that this sensor is available.
    let inputImpliesAvailable: Bool
    /// Subscribes to events. `interval` is in seconds, and 0 requests the maximum rate. `executor` identifies the
    /// handler's executor. It is nil if there is no handler, or if the handler's executor cannot poll the source.
    let subscribe:
        @Sendable (_ interval: TimeInterval, _ executor: ExecutorIdentity?, _ receive: @escaping Receiver) ->
            Subscription
}

extension StreamSource<MotionBatch> {
    static func sensor(_ kind: SensorKind, of device: Device, latency: TimeInterval) -> StreamSource {
        StreamSource(isAvailable: { device.has(kind) }, inputImpliesAvailable: true) { interval, executor, receive in
            var request = MotionRequest(kind: kind, interval: interval, latency: latency)
            request.executor = executor
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
    /// Returns a source that delivers the device's attitude. The magnetometer is used only if `withNorth` is true.
    static func attitude(of device: Device, withNorth: Bool, latency: Double = 0) -> StreamSource {
        StreamSource(
            isAvailable: { MotionEngine.of(device).isAvailable(.attitude) }, inputImpliesAvailable: false
        ) { interval, executor, receive in
            let need = withNorth ? FusionRequest.Need.heading : .attitude
            var request = FusionRequest(need: need, interval: interval, latency: latency)
            request.pollingExecutor = executor
            return MotionEngine.of(device).subscribe(request) { event in
                switch event {
                case .states(let states): receive(.input(states))
                case .lost(let kind, let error):
                    if needsSensor(kind, withNorth: withNorth) { receive(.lost(kind, error)) }
                case .regained(let kind):
                    if needsSensor(kind, withNorth: withNorth) { receive(.regained(kind)) }
                }
            }
        }
    }

    /// Returns true if the stream needs the sensor. The engine also reports losses of sensors that only other
    /// subscribers need, which the stream must ignore.
    private static func needsSensor(_ kind: SensorKind, withNorth: Bool) -> Bool {
        kind == .accelerometer || kind == .gyroscope || withNorth && kind == .magnetometer
    }
}

enum StreamEvent<Input: Sendable>: Sendable {
    case input(Input)
    /// A sensor no longer delivers readings. The case is indirect, so that the other cases are cheap to copy.
    indirect case lost(SensorKind, DeviceError)
    case regained(SensorKind)
}

enum UpdateInterval {
    /// The maximum interval, in seconds (one day). Longer and infinite intervals are reduced to this value.
    static let maximum: TimeInterval = 86_400

    /// Returns the interval to request, in seconds. Zero, negative values and NaN become 0, which requests the maximum
    /// rate.
    static func effective(_ interval: TimeInterval) -> TimeInterval { interval > 0 ? min(interval, maximum) : 0 }
}

extension Device {
    func has(_ kind: SensorKind) -> Bool { sensor(kind) != nil }

    func authorization(_ kind: SensorKind) -> CMAuthorizationStatus { has(kind) ? .authorized : .notDetermined }

    func sensor(_ kind: SensorKind) -> SensorDescription? { motionSource.sensors.first { $0.kind == kind } }
}

/// Converts a source's input to a stream's values. A converter must not call the stream or the app, because `process`
/// is called on the source's thread with the stream's lock held.
protocol ReadingConverter: Sendable {
    associatedtype Input: Sendable
    associatedtype Value: Sendable

    /// Processes input, and appends completed values and errors to the handler's queue, in order.
    mutating func process(_ input: Input, into callbacks: inout PendingMotionCallbacks<Value>)
}

struct SingleReadings: ReadingConverter {
    mutating func process(_ batch: MotionBatch, into callbacks: inout PendingMotionCallbacks<ConvertedReading>) {
        for index in 0..<batch.count {
            callbacks.append(ConvertedReading(value: batch.values[index], time: batch.times[index]))
        }
    }
}

/// A reading in the sensor's units and device axes, and the time of the measurement.
struct ConvertedReading: Sendable {
    var value: SIMD3<Double>
    var time: BootTime
}

struct StreamConfiguration<Converter: ReadingConverter>: Sendable {
    let source: StreamSource<Converter.Input>
    /// Creates a converter in its initial state. Called whenever updates are started.
    let makeConverter: @Sendable () -> Converter
}
