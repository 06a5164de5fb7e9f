// SPDX-License-Identifier: Apache-2.0

import AccessorySimulator
public import DeviceCore
import GPSDSimulator
import IIODSimulator
import LoopbackServer
import Synchronization
import SystemCalls
public import Trace
import TraceEditing
import TraceFormats

/// A simulated machine for unmodified programs. A gpsd, an iiod and simulated accessories play traces on one clock.
///
/// To test an app, start the servers and run the app's binary with their environment:
/// ```swift
/// let servers = try SimulatedServers([try TraceFile(path: "drive.trace")])
/// let environment = try servers.start()
/// let app = Process()
/// app.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
/// try app.run()  // and check its behaviour
/// servers.stop()
/// ```
/// To use the servers in the test's own process, set the variables with `setenv` before you create the first manager. A
/// `SimulatedDevice` is faster and delivers the same readings in every run, but it does not use the servers' protocols.
///
/// All servers listen on the loopback interface, on ports that the system chooses. If the traces contain no positions,
/// programs receive none. The same is true of sensors and accessories. The environment also makes programs use an empty
/// configuration file and a temporary directory for calibrations. The battery is not simulated: programs read that of
/// the real machine.
///
/// Positions and sensors are lost at the same times as in the trace. If one sensor is lost, all sensors in its device
/// are lost. With ``SimulatedServersOptions/loops``, sensors are lost only in the first pass.
///
/// All methods can be called from any thread. Releasing the object stops the servers.
public final class SimulatedServers: Sendable {
    private struct Running {
        var environment: [String: String]
        var sharedStart: SharedPlaybackStart
        var gpsd: GPSDServer
        var iiod: IIODServer
        var accessories: AccessorySimulator?
        var folder: ServerDirectory
    }

    package let sources: Set<SimulatedSource>
    /// Warnings about the traces, for example about renamed sensors and unreadable lines.
    public let warnings: [String]
    /// The duration of one pass at speed 1, in nanoseconds.
    package let duration: Int64
    private let trace: TraceFile
    private let contents: TraceContents
    private let board: SimulatedBoard?
    private let options: SimulatedServersOptions
    private let running = Mutex<Running?>(nil)

    /// Creates servers that play traces. Throws an error if a trace cannot be played.
    ///
    /// Multiple traces are aligned by their clocks and merged. A single trace without faults is not copied.
    public init(
        _ traces: [TraceFile], options: SimulatedServersOptions = SimulatedServersOptions()
    ) throws(DeviceError) {
        self.options = options
        (trace, warnings) = try Self.joined(traces, options)
        contents = TraceContents(trace)
        if contents.sources.contains(.motion) {
            // If the first reading has a negative time, `Recording` shifts all times so that this reading has the time
            // 0. The other sources use the original times of the trace, so `start` compensates for the shift.
            board = try SimulatedBoard(try Recording(trace: trace), name: trace.name, start: -contents.firstStamp)
        } else {
            board = nil
        }
        sources = contents.sources
        let end = max(contents.last.addingSaturated(1), contents.reportsEnd, board?.end ?? 0)
        // Rounds up to whole milliseconds, as `PlayedTrace` does, so that a pass has the same duration on all servers.
        duration = end.addingSaturated(999_999) / 1_000_000 * 1_000_000
    }

    deinit { stop() }

    /// The environment variables that make a program use the servers. Empty if the servers are not running.
    public var environment: [String: String] { running.withLock { $0?.environment ?? [:] } }
    /// Descriptions of deviations from the recorded accessory sessions, such as unexpected bytes from a program.
    public var differences: [String] { running.withLock { $0?.accessories }?.differences ?? [] }
    package var hasBegun: Bool { running.withLock { $0?.sharedStart.time } != nil }

    /// Starts the servers and returns the environment for programs. If the servers are already running, this function
    /// only returns their environment. Throws an error if a port, thread or directory is not available.
    @discardableResult public func start() throws(DeviceError) -> [String: String] {
        try running.withLock { (running) throws(DeviceError) -> [String: String] in
            if let running { return running.environment }
            let begun = try launch()
            running = begun
            return begun.environment
        }
    }

    /// Stops all servers and removes the files that they created. If you start the servers again, they play the traces
    /// from the beginning.
    public func stop() {
        guard let former = running.withLock({ exchange(&$0, with: nil) }) else { return }
        former.gpsd.stop()
        former.iiod.stop()
        former.accessories?.stop()
        // This directory contains the accessory simulator's directory, so it is removed last.
        former.folder.remove()
    }

    /// Waits until the traces have been played to the end. Returns false on timeout or if the servers are not running.
    package func waitUntilPlayed(seconds: Double) -> Bool {
        guard let running = running.withLock({ $0 }) else { return false }
        let clock = LiveClock()
        let deadline = clock.now.advanced(bySeconds: max(0, min(seconds, 1e9)))
        let semaphore = BinarySemaphore()
        running.sharedStart.onStart { semaphore.signal() }
        while running.sharedStart.time == nil, clock.now < deadline { semaphore.wait(until: deadline, clock: clock) }
        guard let time = running.sharedStart.time else { return false }
        let end = time.advanced(bySeconds: Double(duration) / 1e9 / speed)
        while clock.now < min(end, deadline) { semaphore.wait(until: min(end, deadline), clock: clock) }
        if options.loops { return clock.now >= end }
        return running.gpsd.waitUntilPlayed(seconds: deadline.seconds(since: clock.now))
            && running.accessories?.waitUntilPlayed(seconds: deadline.seconds(since: clock.now)) ?? true
            && clock.now >= end
    }

    private var speed: Double { options.speed.isFinite && options.speed > 0 ? options.speed : 1 }

    // MARK: Starting

    private func launch() throws(DeviceError) -> Running {
        let folder = try ServerDirectory(below: options.folder)
        let common = SharedPlaybackStart()
        let gpsd = try GPSDServer(positions(), options: gpsdOptions(common))
        let position = try gpsd.start()
        let iiod = makeIIOD(common)
        let motion = try iiod.start()
        let accessories = try makeAccessories(common, folder)
        let announcements = try accessories?.start() ?? folder.emptyPath
        if options.start == .immediately { common.startIfNeeded(at: LiveClock().now) }
        let environment = [
            "DEVICE_SERVICES_GPSD": "gpsd://127.0.0.1:\(position)",
            "DEVICE_SERVICES_IIO": "ip:127.0.0.1:\(motion)",
            "DEVICE_SERVICES_ACCESSORIES": announcements,
            "DEVICE_SERVICES_UDEV": "off",
            "DEVICE_SERVICES_CONFIG": folder.configurationPath,
            "DEVICE_SERVICES_STATE": folder.statePath,
        ]
        return Running(
            environment: environment, sharedStart: common, gpsd: gpsd, iiod: iiod, accessories: accessories,
            folder: folder)
    }

    /// Returns the trace for the simulated gpsd. If the traces contain no positions, returns an empty trace.
    private func positions() throws(DeviceError) -> TraceFile {
        sources.contains(.positions) ? trace : TraceFile(emptyNamed: trace.name)
    }

    private func gpsdOptions(_ common: SharedPlaybackStart) -> GPSDServerOptions {
        var gpsd = GPSDServerOptions()
        gpsd.pace = .realTime(speed: speed)
        gpsd.end = options.loops ? .loop : .silence
        gpsd.timestampPolicy = options.shiftsTimesToNow ? .now : .recorded
        gpsd.faults = options.gpsdFaults
        gpsd.sharedStart = common
        gpsd.minimumPassDuration = duration
        return gpsd
    }

    private func makeIIOD(_ common: SharedPlaybackStart) -> IIODServer {
        var iiod = IIODServerOptions()
        iiod.pace = .realTime(speed: speed)
        iiod.end = options.loops ? .loop : .stall
        iiod.faults = options.iiodFaults
        iiod.sharedStart = common
        guard let board else { return IIODServer(context: SimulatedIIOContext(sensors: []), options: iiod) }
        iiod.faults += contents.changes.compactMap { change in
            guard let device = board.deviceID(of: change.sensor) else { return nil }
            return IIODFault(
                change.isLost ? .unplug(ENODEV) : .reconnect, device: device,
                at: .seconds(Double(change.time) / 1e9 / speed))
        }
        return IIODServer(context: board.context, samples: board.samples(duration: duration), options: iiod)
    }

    private func makeAccessories(
        _ common: SharedPlaybackStart, _ folder: ServerDirectory
    ) throws(DeviceError) -> AccessorySimulator? {
        guard sources.contains(.accessories) else { return nil }
        var accessories = AccessorySimulatorOptions()
        accessories.transport = options.transport
        accessories.folder = folder.path
        accessories.speed = speed
        accessories.repeats = options.loops
        accessories.sharedStart = common
        accessories.passDuration = duration
        return try AccessorySimulator(trace: trace, options: accessories)
    }

    private static func joined(
        _ traces: [TraceFile], _ options: SimulatedServersOptions
    ) throws(DeviceError) -> (TraceFile, remarks: [String]) {
        guard let first = traces.first else {
            throw DeviceError(.invalidTrace, "There is no trace to play. Specify one.")
        }
        if traces.count == 1, options.faults.isEmpty { return (first, []) }
        var joined = first
        var remarks: [String] = []
        if traces.count > 1 {
            let builder = TraceBuilder(name: traces.map(\.name).joined(separator: ", "))
            remarks = try TraceMerger.write(traces, alignment: options.alignment, to: builder)
            joined = try builder.file()
        }
        if !options.faults.isEmpty {
            joined = try TraceEditor.trace(
                joined, edits: [FaultEdit(options.faults, seed: options.seed)], named: joined.name)
        }
        return (joined, remarks)
    }
}
