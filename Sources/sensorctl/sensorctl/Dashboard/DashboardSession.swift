// SPDX-License-Identifier: Apache-2.0

import Dashboard
import DeviceCore
import ExternalAccessory
import Foundation
import JSONBytes
import LiveDevice
import SensorTools
import SimulatedDevice
import Trace
import TraceEditing

struct DashboardPlan {
    var options: DashboardOptions
    var regions: [NamedRegion] = []
    /// The reference frame. If it is nil, the session chooses one based on the available sensors.
    var frame: FrameName?
    var edge = EdgeName.portrait
    var speed = 1.0
    var loops = false
    /// Called with the address, the port and the token as soon as the page can be opened.
    var announce: @MainActor (_ address: String, _ port: UInt16, _ token: String) -> Void = { _, _, _ in }
}

/// A dashboard session: the listeners and the server that publishes their callbacks.
@MainActor final class DashboardSession {
    private let plan: DashboardPlan
    private let stop: StopRequest
    private let feed = DashboardFeed(channels: ChannelName.allCases.map(\.channel))

    init(_ plan: DashboardPlan, stop: StopRequest) { (self.plan, self.stop) = (plan, stop) }

    func run(_ trace: TraceFile) async throws(DeviceError) {
        let sensorSummary = TraceSensorSummary(trace)
        let simulated = SimulatedDevice(trace)
        let clock = SessionClock(simulated.device.clock, isTrace: true)
        let trafficTracker = AccessoryTrafficTracker(feed: feed, isTrace: true)
        let faults = ManualFaultInjection(sensorSummary, header: TimedEventReader.header(of: trace)) {
            [weak simulated] event in
            // Events are played on the main thread, so this closure runs there too.
            guard let id = simulated?.accessory(named: event.accessory) else { return }
            trafficTracker.process(event.change, of: id, at: clock.now)
        }
        let frame = frame(sensorSummary.kinds)
        let listeners = simulated.use {
            DashboardListeners(
                simulated.device, frame: frame, edge: plan.edge, feed: feed, clock: clock, accessories: trafficTracker)
        }
        let playback = TracePlayback(
            simulated, duration: TracePlayback.duration(of: trace), faults: faults, clock: clock, feed: feed,
            speed: plan.speed, loops: plan.loops
        ) {
            listeners.printer.reset()
            await simulated.use { await listeners.restartActivity() }
            listeners.regions.restart()
            trafficTracker.seek(to: clock.now)
        }
        var hello = hello(title: trace.name.split(separator: "/").last.map(String.init) ?? trace.name, clock, frame)
        hello.isTrace = true
        hello.duration = playback.duration
        hello.faults = faults.all.map { ($0.id, $0.label, $0.about) }
        let server = try start(hello) { action in
            switch action {
            case .addRegion(let region): listeners.regions.add(region)
            case .removeRegion(let name): listeners.regions.remove(name)
            case .doctor: nil
            default: playback.execute(action)
            }
        }
        defer { server.stop() }
        let overview = RecordingOverview(trace, feed: feed)
        defer { overview.end() }
        listeners.regions.onChange = { overview.update($0) }
        await simulated.use { await listeners.start(plan.regions) }
        publishTraceFindings(trace, at: clock.now)
        let ticking = Task { @MainActor in
            while stop.reason == nil {
                trafficTracker.publishIfChanged()
                try? await Task.sleep(for: .milliseconds(250))
            }
        }
        await playback.run(until: stop) { server.counts.pages > 0 }
        await ticking.value
        await listeners.end()
        for remark in trace.remarks(on: simulated.warnings) { Log.warning(remark) }
    }

    /// Publishes findings about the trace. A live session publishes findings about the machine instead.
    private func publishTraceFindings(_ trace: TraceFile, at time: Double) {
        let damage = ReportDiagnostics(trace)
        let remarks = damage.remarks + damage.lineWarnings.remarks
        guard !remarks.isEmpty else { return }
        feed.publish(findings: remarks.map { Finding(.remark, "recording", $0) }, at: time)
    }

    func runLive() async throws(DeviceError) {
        let device = LiveDevice.withAccessories
        let clock = SessionClock(device.clock, isTrace: false)
        let trafficTracker = AccessoryTrafficTracker(feed: feed, isTrace: false)
        let frame = frame(Set(device.motionSource.sensors.map(\.kind)))
        let listeners = DashboardListeners(
            device, frame: frame, edge: plan.edge, feed: feed, clock: clock, accessories: trafficTracker)
        let statusMonitor = LiveStatusMonitor(device, feed: feed, clock: clock, stop: stop)
        let server = try start(hello(title: ProcessInfo.processInfo.hostName, clock, frame)) { action in
            switch action {
            case .addRegion(let region): return listeners.regions.add(region)
            case .removeRegion(let name): return listeners.regions.remove(name)
            case .doctor:
                Task { @MainActor in await statusMonitor.examine() }
                return nil
            default: return "This command requires a recording; the page shows live readings."
            }
        }
        defer { server.stop() }
        Task { @MainActor in await statusMonitor.examine() }
        await listeners.start(plan.regions)
        var nextQuery = clock.now
        var former: [PositionClient]?
        while stop.reason == nil {
            feed.set(now: clock.now)
            trafficTracker.publishIfChanged()
            if clock.now >= nextQuery {
                await listeners.startWaiting()
                // Determines which programs use positions and accessories while a page is open.
                if server.counts.pages > 0 {
                    let users = [ownUse] + (await statusMonitor.positionClients())
                    if users != former { feed.publish(clients: users) }
                    former = users
                    trafficTracker.set(users: await statusMonitor.accessoryUsers())
                }
                nextQuery = clock.now + LiveStatusMonitor.queryInterval
            }
            try? await Task.sleep(for: .milliseconds(250))
        }
        await listeners.end()
    }

    private var ownUse: PositionClient {
        let wants = plan.regions.isEmpty ? "location, heading" : "location, heading, regions"
        return PositionClient(name: "sensorctl dashboard", pid: getpid(), since: 0, wants: wants)
    }

    /// Returns the reference frame chosen by the user. If the device has an accelerometer, a gyroscope and a
    /// magnetometer, the default is the magnetic frame, which lets attitude and heading share a filter. If not, the
    /// default is the arbitrary frame.
    private func frame(_ kinds: Set<SensorKind>) -> FrameName {
        plan.frame ?? (kinds.isSuperset(of: [.accelerometer, .gyroscope, .magnetometer]) ? .magnetic : .arbitrary)
    }

    private func hello(title: String, _ clock: SessionClock, _ frame: FrameName) -> SessionDescription {
        var hello = SessionDescription()
        hello.version = Version.text
        hello.title = TerminalText.text(title)
        hello.start = {
            let start = clock.start
            return start == .epoch ? nil : CivilDate(start).timestamp
        }
        hello.attitudeFrame = frame.rawValue
        return hello
    }

    /// Starts the server. `execute` carries out the pages' commands. It is called on the main thread and returns an
    /// error message, or nil on success. The response types must match app.js.
    private func start(
        _ hello: SessionDescription, execute: @escaping @MainActor @Sendable (PageCommand.Action) -> String?
    ) throws(DeviceError) -> DashboardServer {
        let server = DashboardServer(feed: feed, options: plan.options, hello: hello) { [feed] command in
            DispatchQueue.main.async {
                let why = MainActor.assumeIsolated { execute(command.action) }
                let answer = DashboardMessage(why == nil ? "done" : "refused", .transient) { writer in
                    writer.member("id", command.id)
                    writer.memberIfPresent("why", why)
                }
                feed.respond(to: command.page, with: answer)
            }
        }
        let port = try server.start()
        let token = plan.options.isReadOnly ? "" : "#token=\(server.token.text)"
        plan.announce("http://127.0.0.1:\(port)/\(token)", port, server.token.text)
        return server
    }
}
