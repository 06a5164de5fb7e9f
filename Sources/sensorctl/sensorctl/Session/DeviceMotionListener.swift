// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import CoreMotion
import DeviceCore
import Foundation

/// A motion manager whose device motions go to a printer.
final class DeviceMotionListener: StreamListener {
    private let manager = CMMotionManager()
    private let frame: FrameName
    private let interval: Double
    private let origin: BootTime
    private let tap: FusionTap?
    private let printer: any ReadingPrinter<DeviceMotionReading>
    private let stop: Stop
    private var countdown: Countdown

    init(
        frame: FrameName, interval: Double, origin: BootTime, tap: FusionTap?,
        printer: any ReadingPrinter<DeviceMotionReading>, stop: Stop, limit: Int? = nil
    ) {
        self.frame = frame
        self.interval = interval
        self.origin = origin
        self.tap = tap
        self.printer = printer
        self.stop = stop
        countdown = Countdown(limit: limit, stop: stop)
    }

    var count: Int { countdown.count }
    var isComplete: Bool { countdown.isComplete }

    func start() {
        tap?.start()
        manager.deviceMotionUpdateInterval = interval
        manager.startDeviceMotionUpdates(using: frame.frame, to: .main) { [weak self] motion, error in
            self?.take(motion, error)
        }
    }

    func end() {
        manager.stopDeviceMotionUpdates()
        tap?.end()
    }

    private func take(_ motion: CMDeviceMotion?, _ error: (any Error)?) {
        guard stop.reason == nil else { return }
        if let error { printer.print(error) }
        guard let motion, countdown.take() > 0 else { return }
        printer.print(
            DeviceMotionReading(
                motion, timestamp: origin.secondsTo(motion.timestamp), frame: frame, condition: tap?.condition))
    }
}

extension BootTime {
    /// Seconds from here to a time that is given in seconds since boot, with all nine decimals.
    func secondsTo(_ seconds: Double) -> Double {
        guard nanoseconds != 0, let time = Int64(exactly: (seconds * 1e9).rounded()) else { return seconds }
        return BootTime(nanoseconds: time).seconds(since: self)
    }
}
