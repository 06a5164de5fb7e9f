// SPDX-License-Identifier: Apache-2.0

import CoreLocation
import DeviceCore
import SensorTools

/// Subscribes to a stream and passes its callbacks to an outlet. Must be used on the main thread.
protocol StreamListener: AnyObject {
    var outlet: ReadingOutlet { get }
    @MainActor func start() async
    @MainActor func end() async
}

/// Prints a listener's callbacks. Requests a stop when the limit is reached.
final class ReadingOutlet {
    private let printer: any ReadingPrinter
    private let stop: StopRequest
    /// The number of readings that may still be printed, or nil if there is no limit.
    private var remaining: Int?
    private(set) var count = 0

    init(_ printer: any ReadingPrinter, stop: StopRequest, limit: Int? = nil) {
        (self.printer, self.stop) = (printer, stop)
        remaining = limit
    }

    /// True if the requested number of readings has been counted or there is no limit.
    var isComplete: Bool { remaining.map { $0 == 0 } ?? true }

    /// Counts new readings and returns the number of them to print. Returns 0 after a stop request.
    func count(_ number: Int) -> Int {
        guard stop.reason == nil else { return 0 }
        let accepted = min(number, remaining ?? number)
        count += accepted
        if let rest = remaining {
            remaining = rest - accepted
            if remaining == 0 { stop.request(.complete) }
        }
        return accepted
    }

    func print(_ reading: some Reading) { if count(1) > 0 { printer.print(reading) } }

    /// Prints readings that ``count(_:)`` has already counted.
    func print(counted reading: some Reading) { printer.print(reading) }

    /// Prints a callback that does not count as a reading, unless a stop has been requested.
    func printUncounted(_ reading: some Reading) { if stop.reason == nil { printer.print(reading) } }

    func stopUnauthorized() { stop.request(.denied) }
}

/// The `watch` and `replay` options that determine the listener to create.
struct ListenerOptions {
    var stream: StreamName
    var asJSON: Bool
    /// True if readings are shown as a continuously updated picture. Requires a terminal.
    var isLive = false
    var limit: Int?
    /// The interval between motion readings, in seconds.
    var interval: Double
    var everyReport = false
    var receiver: String?
    var frame = FrameName.arbitrary
    var edge = EdgeName.portrait
    var regions: [NamedRegion] = []
    var beacons: [CLBeaconIdentityConstraint] = []
    /// The zero point of the timestamps: the start of the trace, or the boot time for live data.
    var origin = BootTime.zero
    /// True if errors in fused streams are printed as JSON, or false if they are logged.
    var printsErrors = true
    var units = UnitSystem.metric

    @MainActor func listener(on device: Device, output: StandardOutput, stop: StopRequest) -> any StreamListener {
        listener(on: device, outlet: ReadingOutlet(printer(output), stop: stop, limit: limit))
    }

    @MainActor func listener(on device: Device, outlet: ReadingOutlet) -> any StreamListener {
        let clock = device.clock
        switch stream {
        case .location:
            return LocationListener(clock: clock, everyReport: everyReport, receiver: receiver, outlet: outlet)
        case .regions: return RegionListener(regions, watchesVisits: false, outlet: outlet)
        case .visits: return RegionListener([], watchesVisits: true, outlet: outlet)
        case .monitor: return MonitorListener(regions, device: device, outlet: outlet)
        case .accessories: return AccessoryListener(clock: clock, outlet: outlet)
        case .beacons: return BeaconListener(beacons, clock: clock, outlet: outlet)
        case .steps: return PedometerListener(outlet: outlet)
        case .activity: return ActivityListener(outlet: outlet)
        case .orientation: return OrientationListener(clock: clock, outlet: outlet)
        case .deviceMotion:
            // The fusion state is shown only in pictures, because Core Motion does not provide it.
            let fusionMonitor = drawsPictures ? FusionStateMonitor(device) : nil
            return DeviceMotionListener(
                frame: frame, interval: interval, origin: origin, fusionMonitor: fusionMonitor, showsAngles: !asJSON,
                outlet: outlet)
        case .heading:
            return HeadingListener(edge: edge, interval: interval, origin: origin, device: device, outlet: outlet)
        case .accelerometer, .gyro, .magnetometer, .pressure:
            return MotionListener(stream, interval: interval, outlet: outlet)
        }
    }

    private func printer(_ output: StandardOutput) -> any ReadingPrinter {
        // Uses the live clock even for traces, because the frame rate is limited in real time.
        drawsPictures
            ? PicturePrinter(output: output, clock: LiveClock())
            : LinePrinter(
                output: output, asJSON: asJSON, printsErrors: printsErrors,
                ink: TerminalStyle(isOn: TerminalStyle(.standardOutput).isOn, units: units))
    }

    /// True if readings are drawn as pictures. Pictures must fit in the terminal, because wrapped or scrolled rows
    /// cannot be redrawn.
    private var drawsPictures: Bool {
        guard !asJSON, isLive, let rows = stream.pictureRows else { return false }
        let size = TerminalScreen(.standardOutput).measure()
        return size.width >= PictureSize.minimumColumns && size.height >= rows
    }
}

extension StreamName {
    /// The minimum number of terminal rows for a picture, or nil if the stream is always printed as lines.
    fileprivate var pictureRows: Int? {
        switch self {
        case .location, .steps, .activity, .accessories, .beacons, .regions, .monitor, .visits, .orientation: nil
        case .heading, .deviceMotion: PictureSize.minimumRows
        case .accelerometer, .gyro, .magnetometer, .pressure: 6
        }
    }
}
