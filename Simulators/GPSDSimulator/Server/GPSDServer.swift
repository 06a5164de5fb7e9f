// SPDX-License-Identifier: Apache-2.0

public import DeviceCore
import LoopbackServer
import Synchronization
import SystemCalls
public import Trace

/// A simulated gpsd: plays a trace to gpsd's clients over TCP on the loopback interface.
///
/// It speaks the protocol of gpsd 3.22, so that gpspipe, cgps, gpsmon, gpxlogger, libgps and others take it for the real
/// one: JSON reports word for word as they stand in the trace, the receiver's sentences or others made of the reports,
/// ?POLL, several receivers that come and go, and what gpsd does with clients that do not read. Recordings of other kinds
/// become traces with `TraceFormats`.
/// ```swift
/// let server = GPSDServer(try TraceFile(path: "drive.trace"))
/// let port = try server.start()
/// // gpspipe -w 127.0.0.1:PORT …
/// server.stop()
/// ```
/// One thread serves all clients. Its methods may be called from any thread. It stops when it is released.
public final class GPSDServer: Sendable {
    private let file: TraceFile
    private let options: GPSDServerOptions
    private let thread = ServiceThread<SharedState, UInt16>()

    /// A server that plays that trace, not yet started.
    public init(_ file: TraceFile, options: GPSDServerOptions = GPSDServerOptions()) {
        self.file = file
        self.options = options
    }

    /// The port that it listens on; nil when it does not run.
    public var port: UInt16? { thread.current?.address }

    /// The number of connections.
    public var clientCount: Int { state?.content.withLock { $0.clientCount } ?? 0 }

    /// The reports of the trace that have been played so far, all rounds together.
    public var reportCount: Int64 { state?.content.withLock { $0.reportCount } ?? 0 }

    /// The reports and sentences that clients did not get because they did not read in time, all clients together.
    public var lostCount: Int64 { state?.content.withLock { $0.lostCount } ?? 0 }

    /// True when the trace has been played to its end, and clients have taken all of it.
    public var hasPlayed: Bool { state?.content.withLock { $0.hasPlayed } ?? false }

    /// Waits until the trace has been played to its end; false when the time is up before. Blocks the thread.
    public func waitUntilPlayed(seconds: Double) -> Bool { state?.wait(seconds: seconds) { $0.hasPlayed } ?? false }

    /// Starts to listen on 127.0.0.1 and answers the port. A server that runs already answers its port again.
    ///
    /// Throws `DeviceError` with the code `busy` when the port is taken or the process has no descriptor left, and
    /// `invalidConfiguration` for a fault of a receiver that is not in the trace.
    @discardableResult
    public func start() throws(DeviceError) -> UInt16 {
        try thread.start { () throws(DeviceError) in
            if options.faults.contains(where: { $0.device != nil }) { try TraceSurvey(file).check(options.faults) }
            let listener = try LoopbackListener(
                port: options.port, for: "The simulated gpsd", sendRoom: options.sendRoom)
            let shared = try SharedState(for: "the simulated gpsd")
            let clock = LiveClock()
            let engine = GPSDEngine(file, options: options) { clock.wallTime }
            options.common?.whenBegun { shared.wakeUp.signal() }
            return (shared, listener.port, GPSDLoop(engine, shared: shared, listener: listener))
        }
    }

    /// Closes all connections and stops listening; returns when the thread has ended. The server may be started again, and
    /// then plays from the beginning.
    public func stop() { thread.stop() }

    /// Makes something go wrong: at once, or at the fault's moment. A server that does not run has no faults but those of
    /// its options.
    public func inject(_ fault: GPSDFault) { state?.order { $0.faults.append(fault) } }

    /// Waits until there are that many connections; false when there are not in time.
    func wait(forClients count: Int, seconds: Double) -> Bool {
        state?.wait(seconds: seconds) { $0.clientCount == count } ?? false
    }

    private var state: SharedState? { thread.current?.state }
}

typealias SharedState = ServedState<SharedContent>

/// What the thread of a gpsd or a receiver and all others share.
struct SharedContent: ServedContent {
    var faults: [GPSDFault] = []
    var isStopped = false
    var clientCount = 0
    var reportCount: Int64 = 0
    var lostCount: Int64 = 0
    var hasPlayed = false
}

/// The thread of a server: waits for sockets and times, and lets the engine work.
final class GPSDLoop: ServiceLoop {
    private let engine: GPSDEngine
    private let shared: SharedState
    private let clock = LiveClock()
    private let door: LoopbackDoor
    private var pollSet: PollSet

    init(_ engine: GPSDEngine, shared: SharedState, listener: LoopbackListener) {
        self.engine = engine
        self.shared = shared
        pollSet = PollSet(wakeUp: shared.wakeUp, clock: clock)
        door = LoopbackDoor(listener)
    }

    func run() {
        while true {
            let watched = wait()
            let now = clock.now
            let (isStopped, faults) = shared.content.withLock { content in
                defer { content.faults = [] }
                return (content.isStopped, content.faults)
            }
            if isStopped { break }
            for fault in faults { engine.inject(fault) }
            for (index, client) in watched.enumerated() where pollSet[index + 1] != 0 {
                engine.serve(client, isGone: pollSet[index + 1] & Int16(POLLHUP | POLLERR) != 0, now: now)
            }
            if engine.isListening {
                door.letIn(revents: pollSet[0], now: now) { engine.adopt($0, now: now) }
            }
            engine.advance(now: now)
            door.isOpen = engine.isListening
            tell()
        }
        door.isOpen = false
    }

    /// Waits until something is due, and answers the clients in the order of their descriptors.
    private func wait() -> [GPSDClient] {
        let now = clock.now
        let clients = engine.clients
        pollSet.begin(deadline: min(engine.deadline(now: now), door.deadline(now: now)))
        pollSet.add(door.interest(now: now))
        for client in clients { pollSet.add(client.descriptor, events: engine.events(of: client, now: now)) }
        pollSet.wait()
        return clients
    }

    private func tell() {
        let (clients, reports, lost) = (engine.clients.count, engine.reportCount, engine.allLost)
        let hasPlayed = engine.hasPlayed && !engine.clients.contains(where: \.hasPending)
        let isNew = shared.content.withLock { content in
            content.clientCount != clients || content.reportCount != reports || content.lostCount != lost
                || content.hasPlayed != hasPlayed
        }
        guard isNew else { return }
        shared.change { content in
            (content.clientCount, content.reportCount) = (clients, reports)
            (content.lostCount, content.hasPlayed) = (lost, hasPlayed)
        }
    }
}
