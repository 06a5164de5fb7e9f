// SPDX-License-Identifier: Apache-2.0

import CoreLocation
import Dashboard
import DeviceCore
import Foundation
import JSONBytes
import SensorTools
import SimulatedDevice
import Synchronization
import Trace
import TraceEditing

/// Publishes the whole track of a recording and the marks of its timeline. A background task plays the recording once
/// through a location manager, and again when the regions change. The "overview" message must match overview.js.
@MainActor final class RecordingOverview {
    private let trace: TraceFile
    private let feed: DashboardFeed
    private var task: Task<Void, Never>?

    init(_ trace: TraceFile, feed: DashboardFeed) { (self.trace, self.feed) = (trace, feed) }

    /// Starts anew with these regions. Called after each change of the regions.
    func update(_ regions: [CLCircularRegion]) {
        task?.cancel()
        let (trace, feed) = (trace, feed)
        // Core Location's regions are not Sendable, so their values are copied.
        let circles = regions.map { ($0.identifier, $0.center.latitude, $0.center.longitude, $0.radius) }
        task = Task.detached(priority: .utility) {
            let regions = circles.map {
                CLCircularRegion(
                    center: CLLocationCoordinate2D(latitude: $0.1, longitude: $0.2), radius: $0.3, identifier: $0.0)
            }
            guard let content = OverviewContent(trace, regions: regions) else { return }
            feed.publish(DashboardMessage("overview", .recording) { content.write(to: &$0) })
        }
    }

    func end() { task?.cancel() }
}

/// The positions and the marks of a recording, in bounded memory.
struct OverviewContent {
    /// A position, or the begin of a gap before the next position.
    struct Point {
        let time: Double
        let latitude: Double
        let longitude: Double
        /// nil if unknown. Speed in m/s, altitude above sea level and accuracies in metres.
        let speed, altitude, speedAccuracy, verticalAccuracy: Double?
        /// True if positions are missing before this one.
        var followsGap: Bool
    }

    struct Mark {
        enum Kind: String { case gap, fault, region, accessory }
        let kind: Kind
        /// In seconds since the start of the recording. `end` is nil for a mark without duration.
        let start: Double
        var end: Double?
        let text: String
    }

    /// The maximum number of points. Above it, every other point is removed.
    static let maximumPoints = 2000
    static let maximumMarks = 500

    private(set) var points: [Point] = []
    private(set) var marks: [Mark] = []
    private var stride = 1
    private var count = 0

    /// Plays the recording on the calling thread. Returns nil if the task is cancelled meanwhile.
    init?(_ trace: TraceFile, regions: [CLCircularRegion]) {
        var options = PlaybackOptions()
        options.streams = TraceStreams(positions: true, accessories: true)
        let device = SimulatedDevice(trace, options: options)
        let clock = SessionClock(device.device.clock, isTrace: true)
        let recorder = device.use { OverviewRecorder(device.device, clock: clock, regions: regions) }
        defer { recorder.end() }
        while !Task.isCancelled, device.play(atMost: 64) {}
        guard !Task.isCancelled else { return nil }
        // The managers hold back some events until later ones arrive. Playing to the end delivers them too.
        try? device.play()
        self = recorder.finish(at: clock.now)
        for fault in Self.faults(of: trace) { add(fault) }
    }

    init() {}

    mutating func add(_ point: Point) {
        defer { count += 1 }
        guard count % stride == 0 || point.followsGap else { return }
        points.append(point)
        guard points.count > Self.maximumPoints else { return }
        var followsGap = false
        var remaining: [Point] = []
        for (index, var point) in points.enumerated() {
            followsGap = followsGap || point.followsGap
            guard index % 2 == 0 || index == points.count - 1 else { continue }
            point.followsGap = followsGap
            followsGap = false
            remaining.append(point)
        }
        points = remaining
        stride *= 2
    }

    mutating func add(_ mark: Mark) { if marks.count < Self.maximumMarks { marks.append(mark) } }

    /// Returns the faults that were injected into the recording before, according to its header.
    private static func faults(of trace: TraceFile) -> [Mark] {
        guard let member = trace.header?.otherMembers.first(where: { $0.name == "faults" }),
            let value = try? JSONSerialization.jsonObject(with: Data(member.json))
        else { return [] }
        let objects = (value as? [[String: Any]]) ?? (value as? [String: Any]).map { [$0] } ?? []
        return objects.flatMap { object in
            ((object["list"] as? String).flatMap { try? TraceFault.list($0) } ?? []).map { fault in
                Mark(
                    kind: .fault, start: fault.start.inSeconds,
                    end: fault.duration.map { (fault.start + $0).inSeconds }, text: fault.description)
            }
        }
    }

    func write(to writer: inout JSONWriter) {
        writer.array("points") { writer in
            for point in points {
                writer.array { writer in
                    for value in [point.time, point.latitude, point.longitude] { writer.double(value) }
                    for value in [point.speed, point.altitude, point.speedAccuracy, point.verticalAccuracy] {
                        writer.double(value ?? .nan)
                    }
                    writer.int(point.followsGap ? 1 : 0)
                }
            }
        }
        writer.objects("marks", marks) { mark in
            ["kind": mark.kind.rawValue, "t": mark.start, "end": mark.end, "text": mark.text]
        }
    }
}

/// Records the callbacks of the managers during one playback. All calls are made on the thread that plays.
private final class OverviewRecorder: NSObject, CLLocationManagerDelegate, @unchecked Sendable {
    private let manager = CLLocationManager()
    private let clock: SessionClock
    private var content = OverviewContent()
    private var gaps = GapDetector()
    private var subscriptions: [Subscription] = []
    /// The start and the reason of the current loss of the position source.
    private var loss: (start: Double, reason: String)?
    private var isBroken = false

    init(_ device: Device, clock: SessionClock, regions: [CLCircularRegion]) {
        self.clock = clock
        super.init()
        manager.delegate = self
        manager.startUpdatingLocation()
        for region in regions { manager.startMonitoring(for: region) }
        // `@unchecked Sendable`: a simulated device delivers these events on the thread that plays it.
        subscriptions = [
            device.positionSource.subscribe(PositionRequest()) { [weak self] event in
                switch event {
                case .lost(let error): self?.beginLoss(error.message)
                case .regained: self?.endLoss()
                default: break
                }
            },
            device.accessorySource.subscribe { [weak self] event in
                switch event {
                case .attached(let accessory):
                    self?.add(.accessory, "\(TerminalText.text(accessory.name)) was attached")
                case .detached(let accessory):
                    self?.add(.accessory, "\(TerminalText.text(accessory.name)) was detached")
                case .snapshot, .changed: break
                }
            },
        ]
    }

    func end() {
        for subscription in subscriptions { subscription.cancel() }
        manager.stopUpdatingLocation()
        for region in manager.monitoredRegions { manager.stopMonitoring(for: region) }
        manager.delegate = nil
    }

    /// Returns the recorded content. A loss that has not ended lasts until `time`.
    func finish(at time: Double) -> OverviewContent {
        if let loss { content.add(OverviewContent.Mark(kind: .gap, start: loss.start, end: time, text: loss.reason)) }
        return content
    }

    private func add(_ kind: OverviewContent.Mark.Kind, _ text: String, at time: Double? = nil) {
        content.add(OverviewContent.Mark(kind: kind, start: time ?? clock.now, text: text))
    }

    private func beginLoss(_ reason: String) {
        loss = loss ?? (clock.now, reason)
        isBroken = true
    }

    private func endLoss() {
        if let loss { content.add(.init(kind: .gap, start: loss.start, end: clock.now, text: loss.reason)) }
        loss = nil
    }

    func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
        for location in locations {
            let time = location.report.map { clock.seconds($0.arrival) } ?? clock.now
            if let gap = gaps.process(time) {
                // A loss has a mark of its own.
                if !isBroken {
                    content.add(.init(kind: .gap, start: gap.start, end: time, text: "No position"))
                }
                isBroken = true
            }
            func known(_ value: Double) -> Double? { value >= 0 ? value : nil }
            content.add(
                OverviewContent.Point(
                    time: time, latitude: location.coordinate.latitude, longitude: location.coordinate.longitude,
                    speed: known(location.speed), altitude: location.altitudeAboveSeaLevel,
                    speedAccuracy: known(location.speedAccuracy), verticalAccuracy: known(location.verticalAccuracy),
                    followsGap: isBroken))
            isBroken = false
        }
    }

    func locationManager(_ manager: CLLocationManager, didEnterRegion region: CLRegion) {
        add(.region, "\(TerminalText.text(region.identifier)) was entered", at: time(of: region))
    }

    func locationManager(_ manager: CLLocationManager, didExitRegion region: CLRegion) {
        add(.region, "\(TerminalText.text(region.identifier)) was exited", at: time(of: region))
    }

    /// The receiver's time may differ greatly from that of the recording, so it is clamped.
    private func time(of region: CLRegion) -> Double {
        region.stateDate.map { min(max(0, clock.seconds(WallTime($0))), clock.now) } ?? clock.now
    }
}
