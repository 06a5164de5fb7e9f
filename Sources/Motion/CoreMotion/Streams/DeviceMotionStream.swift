// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import MotionEngine
import SensorFusion

/// A manager's device motion updates: a stream, and a pending error if the requested frame is not available.
final class DeviceMotionStream: Sendable {
    typealias Handler = StreamHandler<FusedMotionReading>

    private let device: Device
    let stream: SensorStream<DeviceMotionConverter>
    private let pendingError = PendingCallSlot()

    init(device: Device, interval: TimeInterval) {
        self.device = device
        stream = SensorStream(
            device: device, configuration: Self.configuration(.defaultFrame, device), interval: interval)
    }

    private static func configuration(_ frame: CMAttitudeReferenceFrame, _ device: Device) -> StreamConfiguration<
        DeviceMotionConverter
    > {
        StreamConfiguration(
            source: .attitude(of: device, withNorth: !frame.isDisjoint(with: .magnetic)),
            makeConverter: { DeviceMotionConverter(frame: frame) })
    }

    static func frames(of device: Device) -> CMAttitudeReferenceFrame {
        let engine = MotionEngine.of(device)
        guard engine.isAvailable(.attitude) else { return [] }
        return engine.isAvailable(.heading) ? [.xArbitraryZVertical, .magnetic] : .xArbitraryZVertical
    }

    var frame: CMAttitudeReferenceFrame { stream.converter?.frame ?? .defaultFrame }

    /// Starts updates, or continues them with a different handler or frame. If `frame` is nil, the default frame is
    /// used, and missing sensors are not reported. If `frame` is not available, updates are stopped, and the handler
    /// receives an error.
    func start(_ handler: Handler?, frame: CMAttitudeReferenceFrame? = nil) {
        pendingError.set(nil)
        if let frame, let error = error(for: frame) {
            stream.stop()
            guard let handler else { return }
            pendingError.set(PendingCall(device: device, executor: handler.executor) { handler.handleError(error) })
            return
        }
        stream.start(handler, configuration: Self.configuration(frame ?? .defaultFrame, device))
    }

    func stop() {
        pendingError.set(nil)
        stream.stop()
    }

    private func error(for frame: CMAttitudeReferenceFrame) -> NSError? {
        guard frame.isSingleFrame else {
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

/// Converts the motion engine's states to device motion in one reference frame.
///
/// In frames that need a magnetometer, no values are delivered before north is known. In the true-north frame,
/// attitudes are relative to magnetic north while the declination is unknown. The handler receives an error before the
/// first such attitude.
struct DeviceMotionConverter: ReadingConverter {
    let frame: CMAttitudeReferenceFrame
    /// The first known north offset, which defines the x axis of `xArbitraryCorrectedZVertical`.
    private var initialNorthOffset: Double?
    private var axis = HeadingAxis()
    private var calibrationMonitor = MagneticCalibrationMonitor()
    private var hasReportedMissingTrueNorth = false

    init(frame: CMAttitudeReferenceFrame) { self.frame = frame }

    mutating func process(_ states: [FusedState], into callbacks: inout PendingMotionCallbacks<FusedMotionReading>) {
        // Ignore states without a gyroscope, because their attitude responds too slowly to movements.
        for state in states where state.usesGyroscope {
            reportMissingNorth(state, into: &callbacks)
            if initialNorthOffset == nil { initialNorthOffset = state.northOffset }
            let values = MotionConversion.deviceMotion(
                state, in: frame, correctedFrom: initialNorthOffset ?? 0, axis: &axis)
            if let values { callbacks.append(FusedMotionReading(values: values, time: state.time)) }
        }
    }

    private mutating func reportMissingNorth(
        _ state: FusedState, into: inout PendingMotionCallbacks<FusedMotionReading>
    ) {
        guard !frame.isDisjoint(with: .north) else { return }
        if calibrationMonitor.shouldReport(state) { into.append(.requiresMovement) }
        guard frame == .xTrueNorthZVertical, state.northOffset != nil else { return }
        let isMissing = state.declination == nil
        if isMissing, !hasReportedMissingTrueNorth { into.append(.noTrueNorth) }
        hasReportedMissingTrueNorth = isMissing
    }
}

struct FusedMotionReading: Sendable {
    var values: CMDeviceMotion.Values
    var time: BootTime
}

extension CMDeviceMotion {
    convenience init(_ reading: FusedMotionReading) { self.init(reading.values, measuredAt: reading.time.seconds) }
}

extension CMAttitudeReferenceFrame {
    static let defaultFrame = CMAttitudeReferenceFrame.xArbitraryZVertical
    static let magnetic: CMAttitudeReferenceFrame = [
        .xArbitraryCorrectedZVertical, .xMagneticNorthZVertical, .xTrueNorthZVertical,
    ]
    /// The frames whose x axis points north. Only these frames have a heading.
    static let north: CMAttitudeReferenceFrame = [.xMagneticNorthZVertical, .xTrueNorthZVertical]

    var isSingleFrame: Bool { [1, 2, 4, 8].contains(rawValue) }
}

/// Determines when to report that the device must be moved to calibrate the magnetometer.
///
/// Even if the manufacturer has calibrated the magnetometer, it counts as uncalibrated until the first fit, which takes
/// several seconds of movement. The error is reported only if no fit succeeds in time, or if the readings are not
/// plausible for the Earth's field.
struct MagneticCalibrationMonitor {
    private static let timeout = 20.0
    /// The time, in seconds, after which the error is reported if north is still unknown, for example because the
    /// magnetometer delivers no readings.
    private static let northTimeout = 1.0
    /// The plausible field strengths, in gauss. According to the World Magnetic Model, the Earth's field is between
    /// 0.22 and 0.67 gauss. The plausible range is wider, because buildings change the field.
    private static let plausibleStrength = 0.15...0.8

    private enum State {
        case waiting
        /// The magnetometer has been uncalibrated, or north has been unknown, since the given time.
        case uncalibrated(since: BootTime)
        case reported
    }

    private var state = State.waiting

    /// Returns true when the error must be reported, which happens at most once.
    mutating func shouldReport(_ fused: FusedState) -> Bool {
        if case .reported = state { return false }
        guard fused.northOffset == nil || fused.magneticQuality == .uncalibrated else {
            state = .waiting
            return false
        }
        var isDue = isImplausible(fused)
        if case .uncalibrated(let start) = state {
            let timeout = fused.northOffset == nil ? Self.northTimeout : Self.timeout
            if fused.time.seconds(since: start) > timeout { isDue = true }
        } else {
            state = .uncalibrated(since: fused.time)
        }
        if isDue { state = .reported }
        return isDue
    }

    private func isImplausible(_ fused: FusedState) -> Bool {
        guard let field = fused.magneticField, fused.northOffset != nil else { return false }
        return !Self.plausibleStrength.contains((field * field).sum().squareRoot())
    }
}
