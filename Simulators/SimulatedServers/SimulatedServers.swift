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

/// A simulated machine for programs that know nothing of it: a gpsd, an iiod and accessories that play traces, on one clock.
///
/// A test of an app starts it and runs the app's own binary with its environment:
/// ```swift
/// let servers = try SimulatedServers([try TraceFile(path: "drive.trace")])
/// let environment = try servers.start()
/// let app = Process()
/// app.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
/// try app.run()  // and see what it does
/// servers.stop()
/// ```
/// To have the managers of the test's own process use it, set the variables (`setenv`) before the first of them is made:
/// the configuration is read once. Where the trace alone matters and not the way that readings take, a `SimulatedDevice` is
/// faster and gives the same readings in every run.
///
/// All servers listen on the loopback interface, on ports that the system chooses. What the traces have nothing of is not
/// there: a program sees a gpsd without receivers, a board without sensors, no accessories, and never those of the machine.
/// It has no configuration file either, and stores calibrations in a folder that goes with the servers; merge the
/// environments the other way round to keep a `DEVICE_SERVICES_CONFIG` of your own. The battery alone is the machine's: no
/// server tells of it.
///
/// Where positions or a sensor were lost in the trace they are lost to the program too; a sensor takes those of the same
/// device with it. With ``SimulatedServersOptions/loops`` sensors are lost in the first round only.
///
/// Its methods may be called from any thread. It stops when it is released.
public final class SimulatedServers: Sendable {
    private struct Running {
        var environment: [String: String]
        var common: CommonStart
        var gpsd: GPSDServer
        var iiod: IIODServer
        var accessories: AccessorySimulator?
        var folder: ServerFolder
    }

    /// What the traces have readings of.
    public let sources: Set<SimulatedSource>
    /// What somebody should know about the traces: sensors that were renamed, lines that could not be read.
    public let remarks: [String]
    /// How long one round takes in nanoseconds, at speed 1.
    public let duration: Int64

    private let trace: TraceFile
    private let contents: TraceContents
    private let board: SimulatedBoard?
    private let options: SimulatedServersOptions
    private let running = Mutex<Running?>(nil)

    /// Servers that play those traces, not yet started. The error says which trace cannot be played, and why.
    ///
    /// Several traces become one, as ``SimulatedServersOptions/alignment`` says; recordings of other kinds become traces with
    /// `TraceFormats`. One trace is played from where it is; several, and one with faults, are put together in memory.
    public init(
        _ traces: [TraceFile], options: SimulatedServersOptions = SimulatedServersOptions()
    ) throws(DeviceError) {
        self.options = options
        (trace, remarks) = try Self.joined(traces, options)
        contents = TraceContents(trace)
        if contents.sources.contains(.motion) {
            // An import moves time zero to the first reading; here all sources keep the trace's.
            board = try SimulatedBoard(try Recording(trace: trace), name: trace.name, start: -contents.firstStamp)
        } else {
            board = nil
        }
        sources = contents.sources
        let end = max(contents.last.addingSaturated(1), contents.reportsEnd, board?.end ?? 0)
        // Times in reports have milliseconds.
        duration = end.addingSaturated(999_999) / 1_000_000 * 1_000_000
    }

    deinit { stop() }

    /// What a program has to have in its environment to use the servers; empty when they do not run.
    public var environment: [String: String] { running.withLock { $0?.environment ?? [:] } }

    /// Where programs said something else to accessories than was recorded, in words.
    public var differences: [String] { running.withLock { $0?.accessories }?.differences ?? [] }

    /// True when a client has come, or playback has begun without.
    public var hasBegun: Bool { running.withLock { $0?.common.time } != nil }

    /// Starts the servers and answers the environment for programs. Servers that run already answer it again.
    ///
    /// The error says that no port, thread or folder can be had.
    @discardableResult
    public func start() throws(DeviceError) -> [String: String] {
        try running.withLock { (running) throws(DeviceError) -> [String: String] in
            if let running { return running.environment }
            let begun = try launch()
            running = begun
            return begun.environment
        }
    }

    /// Stops all servers and removes what they have made; returns when that is done. They may be started again, and then
    /// play from the beginning.
    public func stop() {
        let former = running.withLock { running in
            defer { running = nil }
            return running
        }
        guard let former else { return }
        former.gpsd.stop()
        former.iiod.stop()
        former.accessories?.stop()
        former.folder.remove()
    }

    /// Waits until everything has been played, with ``SimulatedServersOptions/loops`` once; false when the time is up before,
    /// and when they do not run. Blocks the thread.
    public func waitUntilPlayed(seconds: Double) -> Bool {
        guard let running = running.withLock({ $0 }) else { return false }
        let clock = LiveClock()
        let deadline = clock.now.advanced(bySeconds: max(0, min(seconds, 1e9)))
        let bell = Bell()
        running.common.whenBegun { bell.ring() }
        while running.common.time == nil, clock.now < deadline { bell.wait(until: deadline, clock: clock) }
        guard let time = running.common.time else { return false }
        let end = time.advanced(bySeconds: Double(duration) / 1e9 / speed)
        while clock.now < min(end, deadline) { bell.wait(until: min(end, deadline), clock: clock) }
        if options.loops { return clock.now >= end }
        return running.gpsd.waitUntilPlayed(seconds: deadline.seconds(since: clock.now))
            && running.accessories?.waitUntilPlayed(seconds: deadline.seconds(since: clock.now)) ?? true
            && clock.now >= end
    }

    private var speed: Double { options.speed.isFinite && options.speed > 0 ? options.speed : 1 }

    // MARK: Starting

    private func launch() throws(DeviceError) -> Running {
        let folder = try ServerFolder(below: options.folder)
        let common = CommonStart()
        let gpsd = try GPSDServer(positions(), options: gpsdOptions(common))
        let position = try gpsd.start()
        let iiod = makeIIOD(common)
        let motion = try iiod.start()
        let accessories = try makeAccessories(common, folder)
        let announcements = try accessories?.start() ?? folder.emptyPath
        if options.start == .atOnce { common.begin(at: LiveClock().now) }
        let environment = [
            "DEVICE_SERVICES_GPSD": "gpsd://127.0.0.1:\(position)",
            "DEVICE_SERVICES_IIO": "ip:127.0.0.1:\(motion)",
            "DEVICE_SERVICES_ACCESSORIES": announcements,
            "DEVICE_SERVICES_UDEV": "off",
            "DEVICE_SERVICES_CONFIG": folder.configurationPath,
            "DEVICE_SERVICES_STATE": folder.statePath,
        ]
        return Running(
            environment: environment, common: common, gpsd: gpsd, iiod: iiod, accessories: accessories,
            folder: folder)
    }

    /// A trace without positions is none for a gpsd: it would tell of its receivers' losses.
    private func positions() throws(DeviceError) -> TraceFile {
        sources.contains(.positions) ? trace : TraceFile(emptyNamed: trace.name)
    }

    private func gpsdOptions(_ common: CommonStart) -> GPSDServerOptions {
        var gpsd = GPSDServerOptions()
        gpsd.pace = .realTime(speed: speed)
        gpsd.end = options.loops ? .loop : .silence
        gpsd.stamps = options.movesTimesToNow ? .now : .kept
        gpsd.faults = options.gpsdFaults
        gpsd.common = common
        gpsd.roundLength = duration
        return gpsd
    }

    private func makeIIOD(_ common: CommonStart) -> IIODServer {
        var iiod = IIODServerOptions()
        iiod.pace = .realTime(speed: speed)
        iiod.end = options.loops ? .loop : .stall
        iiod.faults = options.iiodFaults
        iiod.common = common
        guard let board else { return IIODServer(context: SimulatedIIOContext(sensors: []), options: iiod) }
        iiod.faults += contents.changes.compactMap { change in
            guard let device = board.deviceID(of: change.sensor) else { return nil }
            return IIODFault(
                change.isLost ? .unplug(ENODEV) : .replug, device: device,
                at: .seconds(Double(change.time) / 1e9 / speed))
        }
        return IIODServer(context: board.context, samples: board.samples(duration: duration), options: iiod)
    }

    private func makeAccessories(
        _ common: CommonStart, _ folder: ServerFolder
    ) throws(DeviceError) -> AccessorySimulator? {
        guard sources.contains(.accessories) else { return nil }
        var accessories = AccessorySimulatorOptions()
        accessories.transport = options.transport
        accessories.folder = folder.path
        accessories.speed = speed
        accessories.repeats = options.loops
        accessories.common = common
        accessories.roundLength = duration
        return try AccessorySimulator(trace: trace, options: accessories)
    }

    private static func joined(
        _ traces: [TraceFile], _ options: SimulatedServersOptions
    ) throws(DeviceError) -> (TraceFile, remarks: [String]) {
        guard let first = traces.first else { throw DeviceError(.invalidTrace, "There is no trace to play. Name one.") }
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
