// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import MotionEngine
import SensorFusion

/// The device motion stream of a motion manager.
final class DeviceMotionStream: Sendable {
    typealias Handler = StreamHandler<DeviceMotionReading>

    private let device: Device
    let stream: SensorStream<EachDeviceMotion>
    private let refusal = RefusalSlot()

    init(device: Device, interval: TimeInterval) {
        self.device = device
        stream = SensorStream(device: device, plan: Self.plan(.standard, device), interval: interval)
    }

    private static func plan(_ frame: CMAttitudeReferenceFrame, _ device: Device) -> StreamPlan<EachDeviceMotion> {
        StreamPlan(
            source: .attitude(of: device, withNorth: !frame.isDisjoint(with: .magnetic)),
            makeShaper: { EachDeviceMotion(frame: frame) })
    }

    /// Returns the reference frames for which the device has the sensors.
    static func frames(of device: Device) -> CMAttitudeReferenceFrame {
        let engine = MotionEngine.of(device)
        guard engine.isAvailable(.attitude) else { return [] }
        return engine.isAvailable(.heading) ? [.xArbitraryZVertical, .magnetic] : .xArbitraryZVertical
    }

    /// The reference frame of the updates; the default frame while updates are stopped.
    var frame: CMAttitudeReferenceFrame { stream.shaper?.frame ?? .standard }

    /// Starts updates, or continues them with another handler or frame.
    ///
    /// - Parameter frame: nil for the default frame, for which missing sensors are not reported. If a specific frame is
    ///   not available, running updates are stopped and the handler is called with an error.
    func start(_ handler: Handler?, frame: CMAttitudeReferenceFrame? = nil) {
        refusal.set(nil)
        if let frame, let error = objection(to: frame) {
            stream.stop()
            guard let handler else { return }
            refusal.set(PendingRefusal(device: device, delivery: handler.delivery) { handler.fail(error) })
            return
        }
        stream.start(handler, plan: Self.plan(frame ?? .standard, device))
    }

    func stop() {
        refusal.set(nil)
        stream.stop()
    }

    private func objection(to frame: CMAttitudeReferenceFrame) -> NSError? {
        guard frame.isOneFrame else {
            return CMErrorInvalidParameter.error("Device motion requires exactly one of the four reference frames.")
        }
        let available = Self.frames(of: device)
        if available.contains(frame) { return nil }
        return CMErrorNotAvailable.error(
            available.isEmpty
                ? "Device motion is not available: it requires an accelerometer and a gyroscope."
                : "This reference frame is not available: it requires a magnetometer.")
    }
}

/// A converter of the motion engine's states to device motion in one reference frame.
///
/// In frames that need a magnetometer, no values are delivered before north is known. In the true-north frame,
/// attitudes are relative to magnetic north while the declination is unknown. They have no heading, and the handler
/// first receives an error.
struct EachDeviceMotion: ReadingShaper {
    let frame: CMAttitudeReferenceFrame
    /// The first north offset, relative to which the corrected frame is defined.
    private var start: Double?
    private var axis = HeadingAxis()
    private var calibrationMonitor = MagneticCalibrationMonitor()
    private var hasMissedTrueNorth = false

    init(frame: CMAttitudeReferenceFrame) { self.frame = frame }

    mutating func take(_ states: [FusedState], into mailbox: inout Mailbox<DeviceMotionReading>) {
        // Without the gyroscope, the attitude comes from the accelerometer alone and follows movements too slowly.
        for state in states where state.usesGyroscope {
            tellWhatIsMissing(state, mailbox: &mailbox)
            if start == nil { start = state.northOffset }
            let values = MotionConversion.deviceMotion(state, in: frame, correctedFrom: start ?? 0, axis: &axis)
            if let values { mailbox.add(DeviceMotionReading(values: values, time: state.time)) }
        }
    }

    private mutating func tellWhatIsMissing(_ state: FusedState, mailbox: inout Mailbox<DeviceMotionReading>) {
        guard !frame.isDisjoint(with: .north) else { return }
        if calibrationMonitor.requiresMovement(state) { mailbox.add(.requiresMovement) }
        guard frame == .xTrueNorthZVertical, state.northOffset != nil else { return }
        let isMissing = state.declination == nil
        if isMissing, !hasMissedTrueNorth { mailbox.add(.noTrueNorth) }
        hasMissedTrueNorth = isMissing
    }
}

/// The values of a device motion and the time of the measurement.
struct DeviceMotionReading: Sendable {
    var values: CMDeviceMotion.Values
    var time: BootTime
}

extension CMDeviceMotion {
    convenience init(_ reading: DeviceMotionReading) {
        self.init(reading.values, measuredAt: MotionConversion.timestamp(reading.time))
    }
}

extension CMAttitudeReferenceFrame {
    /// The default frame.
    static let standard = CMAttitudeReferenceFrame.xArbitraryZVertical
    /// The frames that need a magnetometer.
    static let magnetic: CMAttitudeReferenceFrame = [
        .xArbitraryCorrectedZVertical, .xMagneticNorthZVertical, .xTrueNorthZVertical,
    ]
    /// The frames whose x axis points north. Only these have a heading.
    static let north: CMAttitudeReferenceFrame = [.xMagneticNorthZVertical, .xTrueNorthZVertical]

    /// True if the value is exactly one of the four frames.
    var isOneFrame: Bool { [1, 2, 4, 8].contains(rawValue) }
}
