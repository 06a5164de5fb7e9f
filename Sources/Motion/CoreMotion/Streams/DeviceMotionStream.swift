// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import MotionEngine
import SensorFusion

/// Device motion for one manager.
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

    /// The frames that the device has what it takes for now.
    static func frames(of device: Device) -> CMAttitudeReferenceFrame {
        let engine = MotionEngine.of(device)
        guard engine.isAvailable(.attitude) else { return [] }
        return engine.isAvailable(.heading) ? [.xArbitraryZVertical, .magnetic] : .xArbitraryZVertical
    }

    /// The frame in use, else the one that counts where none is asked for.
    var frame: CMAttitudeReferenceFrame { stream.shaper?.frame ?? .standard }

    /// Begins, or goes on with another handler or frame.
    ///
    /// - Parameter frame: nil for the standard one, which waits in silence where the device has not what it takes. A frame
    ///   that is asked for and not there ends what runs, and the handler is told.
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

    /// Ends it.
    func stop() {
        refusal.set(nil)
        stream.stop()
    }

    private func objection(to frame: CMAttitudeReferenceFrame) -> NSError? {
        guard frame.isOneFrame else {
            return CMErrorInvalidParameter.error("Device motion is measured against one of the four reference frames.")
        }
        let available = Self.frames(of: device)
        if available.contains(frame) { return nil }
        return CMErrorNotAvailable.error(
            available.isEmpty
                ? "Device motion is not available: it takes an accelerometer and a gyroscope."
                : "This reference frame is not available: it takes a magnetometer.")
    }
}

/// Each state of the motion engine is told by itself, in one frame of reference.
///
/// In a frame that takes a magnetometer nothing is told before north is known. Attitudes against true north are told
/// against magnetic north while the declination is not known, without a heading and after an error that says so.
struct EachDeviceMotion: ReadingShaper {
    let frame: CMAttitudeReferenceFrame
    /// The first north offset, from which the corrected frame goes on.
    private var start: Double?
    private var axis = HeadingAxis()
    private var calibrationMonitor = MagneticCalibrationMonitor()
    private var hasMissedTrueNorth = false

    init(frame: CMAttitudeReferenceFrame) { self.frame = frame }

    mutating func take(_ states: [FusedState], into mailbox: inout Mailbox<DeviceMotionReading>) {
        // What the accelerometer says alone, while the gyroscope is lost, follows movements too late.
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

/// The values of a device motion and the time at which they were measured.
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
    /// The frame that counts where none is asked for.
    static let standard = CMAttitudeReferenceFrame.xArbitraryZVertical
    /// Those for which it takes a magnetometer.
    static let magnetic: CMAttitudeReferenceFrame = [
        .xArbitraryCorrectedZVertical, .xMagneticNorthZVertical, .xTrueNorthZVertical,
    ]
    /// Those whose x axis points north, in which a heading makes sense.
    static let north: CMAttitudeReferenceFrame = [.xMagneticNorthZVertical, .xTrueNorthZVertical]

    /// True for one of the four frames; false for none, several at once, and what is no frame.
    var isOneFrame: Bool { [1, 2, 4, 8].contains(rawValue) }
}
