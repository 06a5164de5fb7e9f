// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import CoreMotion
import Foundation

/// An altimeter whose readings go to a printer.
final class AltitudeListener: StreamListener {
    private let altimeter = CMAltimeter()
    private let printer: any MotionPrinter
    private let stop: Stop
    private var countdown: Countdown

    init(printer: any MotionPrinter, stop: Stop, limit: Int? = nil) {
        self.printer = printer
        self.stop = stop
        countdown = Countdown(limit: limit, stop: stop)
    }

    var count: Int { countdown.count }
    var isComplete: Bool { countdown.isComplete }

    func start() {
        altimeter.startRelativeAltitudeUpdates(to: .main) { [weak self] data, error in
            self?.take(data, error)
        }
    }

    func end() {
        altimeter.stopRelativeAltitudeUpdates()
    }

    private func take(_ data: CMAltitudeData?, _ error: (any Error)?) {
        guard stop.reason == nil else { return }
        if let error { printer.print(error, stream: .pressure) }
        guard let data, countdown.take() > 0 else { return }
        printer.print(
            MotionReading(
                stream: .pressure, timestamp: data.timestamp,
                values: [
                    MotionReading.Value("pressure", data.pressure.doubleValue, unit: "kPa"),
                    MotionReading.Value("relativeAltitude", data.relativeAltitude.doubleValue, unit: "m"),
                ]))
    }
}
