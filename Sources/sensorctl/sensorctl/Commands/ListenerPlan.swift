// SPDX-License-Identifier: Apache-2.0

import CoreLocation
import DeviceCore

/// What to listen to, and how to print it.
struct ListenerPlan {
    var stream: StreamName
    var asJSON: Bool
    /// True to draw readings again and again in a terminal.
    var isLive = false
    var limit: Int?
    /// Seconds between readings of motion.
    var interval: Double
    var everyReport = false
    var receiver: String?
    /// What device motion is measured against.
    var frame = FrameName.arbitrary
    /// The edge whose heading is told.
    var edge = EdgeName.portrait
    /// What regions and monitors watch.
    var regions: [NamedRegion] = []
    /// The beacons that are ranged.
    var beacons: [CLBeaconIdentityConstraint] = []
    /// The time that is called zero: the start of a trace, boot elsewhere.
    var origin = BootTime.zero
    /// False to keep the output to readings where several sensors make them: an error then is a note.
    var tellsErrors = true

    /// The listener, made where its manager belongs.
    @MainActor func listener(on device: Device, output: StandardOutput, stop: Stop) -> any StreamListener {
        listener(on: device, outlet: ReadingOutlet(printer(output), stop: stop, limit: limit))
    }

    /// The same for what takes readings in place of an output.
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
            // Only a picture shows what Core Motion has no words for.
            let tap = drawsPictures ? FusionTap(device) : nil
            return DeviceMotionListener(
                frame: frame, interval: interval, origin: origin, tap: tap, showsAngles: !asJSON, outlet: outlet)
        case .heading:
            return HeadingListener(edge: edge, interval: interval, origin: origin, device: device, outlet: outlet)
        case .accelerometer, .gyro, .magnetometer, .pressure:
            return MotionListener(stream, interval: interval, outlet: outlet)
        }
    }

    private func printer(_ output: StandardOutput) -> any ReadingPrinter {
        // Pictures are drawn in real time, also of a trace.
        drawsPictures
            ? PicturePrinter(output: output, clock: LiveClock())
            : LinePrinter(output: output, asJSON: asJSON, tellsErrors: tellsErrors)
    }

    /// A row that is broken in two cannot be drawn over, nor one that has left the screen.
    private var drawsPictures: Bool {
        guard !asJSON, isLive, let rows = stream.pictureRows else { return false }
        let size = TerminalScreen(.standardOutput).measure()
        return size.width >= PictureSize.leastColumns && size.height >= rows
    }
}

extension StreamName {
    /// The fewest rows of a terminal in which it is drawn as a picture; nil where it is always told in lines.
    fileprivate var pictureRows: Int? {
        switch self {
        case .location, .steps, .activity, .accessories, .beacons, .regions, .monitor, .visits: nil
        case .heading, .deviceMotion: PictureSize.leastRows
        case .accelerometer, .gyro, .magnetometer, .pressure, .orientation: 6
        }
    }
}
