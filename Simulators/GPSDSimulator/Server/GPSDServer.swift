// SPDX-License-Identifier: Apache-2.0

public import DeviceCore
import LoopbackServer
import Synchronization
import SystemCalls
public import Trace

/// A simulated gpsd that plays a trace to gpsd clients over TCP on the loopback interface.
///
/// The server speaks the protocol of gpsd 3.22 and works with gpspipe, cgps, gpsmon, gpxlogger, libgps and others. It
/// sends the JSON reports of the trace verbatim, recorded or generated sentences, and ?POLL replies. It supports
/// several receivers, which can be added and removed. Use `TraceFormats` to convert other recordings to traces.
/// ```swift
/// let server = GPSDServer(try TraceFile(path: "drive.trace"))
/// let port = try server.start()
/// // gpspipe -w 127.0.0.1:PORT …
/// server.stop()
/// ```
/// One thread serves all clients. All methods can be called from any thread. Releasing the server stops it.
public final class GPSDServer: Sendable {
    private let file: TraceFile
    private let options: GPSDServerOptions
    private let thread = ServiceThread<SharedState, UInt16>()

    /// Creates a server that plays a trace. Call ``start()`` to start it.
    public init(_ file: TraceFile, options: GPSDServerOptions = GPSDServerOptions()) {
        (self.file, self.options) = (file, options)
    }

    /// The TCP port on which the server listens, or nil if the server is not running.
    public var port: UInt16? { thread.current?.address }
    package var reportCount: Int64 { status.reportCount }
    /// The number of reports and sentences that clients did not read in time, across all clients.
    package var lostCount: Int64 { status.lostCount }
    /// True if the server is running, has played the trace to the end and has sent all pending bytes.
    public var hasPlayed: Bool { status.hasPlayed }

    /// Blocks until the trace has been played to the end. Returns false on timeout or if the server is not running.
    package func waitUntilPlayed(seconds: Double) -> Bool {
        state?.wait(seconds: seconds) { $0.status.hasPlayed } ?? false
    }

    /// Starts the server on 127.0.0.1 and returns its port. If the server is already running, returns its current port.
    ///
    /// Throws `DeviceError` with the code `busy` if the port is in use, and with `busy` or `unreachable` if the process
    /// has no free descriptor. The code is `invalidConfiguration` if a fault names a receiver that is not in the trace.
    @discardableResult public func start() throws(DeviceError) -> UInt16 {
        try thread.start { () throws(DeviceError) in
            if options.faults.contains(where: { $0.device != nil }) { try PlaybackSummary(file).check(options.faults) }
            let listener = try LoopbackListener(port: options.port, for: "The simulated gpsd")
            let shared = try SharedState(for: "the simulated gpsd")
            let clock = LiveClock()
            let engine = GPSDEngine(file, options: options) { clock.wallTime }
            options.sharedStart?.onStart { shared.wakeUp.signal() }
            return (shared, listener.port, GPSDLoop(engine, shared: shared, listener: listener))
        }
    }

    /// Closes all connections, stops listening and waits for the thread to end. If the server is started again, it
    /// plays the trace from the beginning.
    public func stop() { thread.stop() }

    /// Injects a fault, which takes effect at its scheduled time or report. Does nothing if the server is not running.
    public func inject(_ fault: GPSDFault) { state?.updateAndWake { $0.faults.append(fault) } }

    /// Blocks until the given number of clients are connected. Returns false on timeout.
    func wait(forClients count: Int, seconds: Double) -> Bool {
        state?.wait(seconds: seconds) { $0.status.clientCount == count } ?? false
    }

    private var state: SharedState? { thread.current?.state }
    private var status: PlaybackStatus { state?.content.withLock { $0.status } ?? PlaybackStatus() }
}

typealias SharedState = SharedServerState<SharedContent>

/// The state that the thread of a server or receiver terminal shares with other threads.
struct SharedContent: SharedServerContent {
    var faults: [GPSDFault] = []
    var isStopped = false
    var status = PlaybackStatus()
}

struct PlaybackStatus: Equatable {
    var clientCount = 0
    /// The number of reports played or, for a receiver terminal, the number of sentences sent.
    var reportCount: Int64 = 0
    var lostCount: Int64 = 0
    var hasPlayed = false
}

/// The main loop of the server's thread. It waits for sockets and deadlines, and advances the engine.
final class GPSDLoop: ServiceLoop {
    private let engine: GPSDEngine
    private let shared: SharedState
    private let clock = LiveClock()
    private let acceptor: LoopbackAcceptor
    private var pollSet: PollSet

    init(_ engine: GPSDEngine, shared: SharedState, listener: LoopbackListener) {
        (self.engine, self.shared) = (engine, shared)
        pollSet = PollSet(wakeUp: shared.wakeUp, clock: clock)
        acceptor = LoopbackAcceptor(listener)
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
            for fault in faults { engine.faults.add(fault) }
            for (index, client) in watched.enumerated() where pollSet[index + 1] != 0 {
                engine.serve(client, isGone: pollSet[index + 1] & Int16(POLLHUP | POLLERR) != 0, now: now)
            }
            if engine.isListening {
                acceptor.acceptPending(revents: pollSet[0], now: now) { engine.addClient($0, now: now) }
            }
            engine.advance(now: now)
            acceptor.isOpen = engine.isListening
            publishState()
        }
        acceptor.isOpen = false
    }

    /// Waits for events. Returns the clients in the order of their poll set entries, which begin at index 1.
    private func wait() -> [GPSDClient] {
        let now = clock.now
        let clients = engine.clients
        pollSet.begin(deadline: min(engine.deadline(now: now), acceptor.deadline(now: now)))
        pollSet.add(acceptor.pollDescriptor(now: now))
        for client in clients { pollSet.add(client.descriptor, events: engine.events(of: client, now: now)) }
        pollSet.wait()
        return clients
    }

    private func publishState() {
        let status = PlaybackStatus(
            clientCount: engine.clients.count, reportCount: engine.reportCount, lostCount: engine.totalLostCount,
            hasPlayed: engine.hasPlayed && !engine.clients.contains(where: \.hasPending))
        if shared.content.withLock({ $0.status != status }) { shared.update { $0.status = status } }
    }
}
