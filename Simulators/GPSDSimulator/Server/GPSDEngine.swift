// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import GPSDProtocol
import LoopbackServer
import SystemCalls
import Trace

/// The logic of a simulated gpsd, without a listener, a thread or a clock. Confined to the server's thread.
final class GPSDEngine {
    /// The time, in seconds, after which a client is disconnected if it neither watches nor sends a request.
    private static let idleTimeout = 900.0
    /// The time, in seconds, after which a client is disconnected if it does not read its pending bytes.
    private static let clientTimeout = 10.0
    /// The maximum number of events to play per call. The limit allows requests to be served between calls.
    static let maximumEventsPerCall = 256
    /// The number of pending bytes above which no more requests are read from a client.
    private static let maximumPendingBytes = 1 << 22

    let options: GPSDServerOptions
    var state: GPSDState
    var clients: [GPSDClient] = []
    /// False while a fault keeps the port closed, and while a recorded connection loss is played back.
    private(set) var isListening = true
    var reportCount: Int64 = 0
    /// The number of lines dropped for clients that have since disconnected.
    private(set) var lostCount: Int64 = 0
    var hasPlayed = false
    var trace: PlayedTrace
    let summary: PlaybackSummary
    var nextEvent: PlayedEvent?
    var faults = GPSDFaultState()
    /// The time at which playback started, or nil if it has not started.
    var start: BootTime?
    /// The amount by which report times are shifted in the first pass, in nanoseconds.
    var shift: Int64 = 0
    let readClock: () -> WallTime
    var noiseState: UInt64 = 0x9E37_79B9_7F4A_7C15
    /// The path of the receiver to which the trace's sentences are attributed.
    var sentencePath: String
    private let buffer = UnsafeMutableRawBufferPointer.allocate(
        byteCount: GPSDRequestReader.maximumReadSize, alignment: 16)

    /// Creates an engine. `readClock` returns the wall-clock time, which is used for ?POLL and as the receivers'
    /// activation time.
    init(_ file: TraceFile, options: GPSDServerOptions, readClock: @escaping () -> WallTime) {
        (self.options, self.readClock) = (options, readClock)
        summary = PlaybackSummary(file)
        trace = PlayedTrace(file, repeats: options.end == .loop, minimumPassDuration: options.minimumPassDuration ?? 0)
        state = GPSDState(summary, now: readClock())
        sentencePath = state.receivers.first?.description.path ?? PlaybackSummary.defaultPath
        nextEvent = trace.next()
        hasPlayed = nextEvent == nil
        for fault in options.faults { faults.add(fault) }
    }

    deinit { buffer.deallocate() }

    /// Adds a client. Closes the connection if the server is not listening or has too many clients.
    func addClient(_ descriptor: Int32, now: BootTime) {
        let client = GPSDClient(descriptor, now: now)
        guard isListening else { return }
        let current = clients.lazy.filter { !$0.isFinished }
        if current.count >= max(1, options.maximumClients) {
            // If there are too many clients, an idle client is disconnected to make room for the new client.
            guard let idle = current.first(where: { !$0.hasReceivedReply }) else { return }
            idle.end()
        }
        clients.append(client)
        perform(faults.apply(seconds: playedSeconds(now), report: reportCount), now: now)
        client.greetingTime = now.advanced(bySeconds: faults.greetingDelay)
        greet(client, now: now)
    }

    /// Returns the time at which to call `advance(now:)` even if no socket event occurs.
    func deadline(now: BootTime) -> BootTime {
        var deadline = BootTime.never
        if let start {
            if let next = faults.nextTime { deadline = min(deadline, start.advanced(bySeconds: next)) }
            if let event = nextEvent, !isWaitingForClients { deadline = min(deadline, due(event, start)) }
        } else if options.start == .immediately {
            deadline = now
        }
        for client in clients {
            if let time = client.greetingTime { deadline = min(deadline, time) }
            if client.hasPending {
                deadline = min(deadline, client.delayedUntil > now ? client.delayedUntil : timeoutDeadline(client))
            } else if !client.policy.isEnabled {
                deadline = min(deadline, client.lastRequest.advanced(bySeconds: Self.idleTimeout))
            }
        }
        return deadline
    }

    func events(of client: GPSDClient, now: BootTime) -> Int16 {
        var events: Int16 = 0
        if acceptsRequests(of: client) { events |= Int16(POLLIN) }
        if client.hasPending, client.delayedUntil <= now { events |= Int16(POLLOUT) }
        return events
    }

    /// Returns false until the greeting has been sent, and while too many bytes are pending.
    private func acceptsRequests(of client: GPSDClient) -> Bool {
        client.greetingTime == nil && client.pending.count < Self.maximumPendingBytes
    }

    /// Reads and answers a client's requests. `isGone` is true if the client has closed the connection. If so, reads
    /// all input even if no more requests are accepted, because poll(2) would report a connection with unread input on
    /// every call.
    func serve(_ client: GPSDClient, isGone: Bool = false, now: BootTime) {
        // Limits the reads per call so that one client with many requests does not block the others.
        for _ in 0..<16 {
            guard !client.isFinished, isGone || acceptsRequests(of: client) else { return }
            let isOpen = client.read(through: buffer) { input in
                client.lastRequest = now
                let reply = state.reply(to: input, policy: &client.policy, now: readClock())
                if !reply.isEmpty { client.hasReceivedReply = true }
                client.send(reply, .enqueue, now: now)
            }
            if !isOpen { return }
        }
    }

    /// Starts playback if necessary, plays due events, applies due faults and removes disconnected clients.
    func advance(now: BootTime) {
        // Playback normally waits for a client. While a fault keeps the port closed, no client can connect, so playback
        // starts without one. Otherwise, the fault would never end.
        if start == nil,
            options.start == .immediately || !isListening || clients.contains(where: \.policy.wantsReports)
                || options.sharedStart?.time != nil
        {
            begin(now: now)
        }
        perform(faults.apply(seconds: playedSeconds(now), report: reportCount), now: now)
        for client in clients {
            client.flush(now: now)
            greet(client, now: now)
            let isIdle =
                !client.policy.isEnabled && !client.hasPending
                && client.lastRequest.advanced(bySeconds: Self.idleTimeout) <= now
            let isStuck = client.hasPending && client.delayedUntil <= now && timeoutDeadline(client) <= now
            if isIdle || isStuck { client.end() }
        }
        play(now: now)
        for client in clients where client.closesAfterFlush && !client.hasPending { client.end() }
        lostCount += clients.filter(\.isFinished).reduce(0) { $0 + $1.lostCount }
        clients.removeAll(where: \.isFinished)
    }

    var totalLostCount: Int64 { clients.reduce(lostCount) { $0 + $1.lostCount } }

    private func begin(now: BootTime) {
        let startTime = options.sharedStart?.startIfNeeded(at: now) ?? now
        start = startTime
        guard options.timestampPolicy == .now else { return }
        let late = now.nanoseconds.subtractingSaturated(startTime.nanoseconds)
        shift = summary.shift(toPlayAt: WallTime(nanoseconds: readClock().nanoseconds.subtractingSaturated(late)))
    }

    private func playedSeconds(_ now: BootTime) -> Double? { start.map { now.seconds(since: $0) } }

    func due(_ event: PlayedEvent, _ start: BootTime) -> BootTime { options.dueTime(event.time, from: start) ?? start }

    /// True if playback is waiting because no client is watching or because a watching client has pending bytes.
    var isWaitingForClients: Bool {
        guard options.pace == .onDemand else { return false }
        let watchers = clients.filter { $0.policy.wantsReports && !$0.isFinished }
        return watchers.isEmpty || watchers.contains(where: \.hasPending)
    }

    private func timeoutDeadline(_ client: GPSDClient) -> BootTime {
        max(client.lastProgress, client.delayedUntil).advanced(bySeconds: Self.clientTimeout)
    }

    private func greet(_ client: GPSDClient, now: BootTime) {
        guard let time = client.greetingTime, time <= now else { return }
        client.greetingTime = nil
        client.send(GPSDEncoder.encode(state.version) + [13, 10], .enqueue, now: now)
    }

    func perform(_ actions: [GPSDFaultState.Action], now: BootTime) {
        if let version = faults.version {
            (state.version.protocolMajor, state.version.protocolMinor) = (version.major, version.minor)
        }
        for action in actions {
            switch action {
            case .drop: for client in clients { client.reset() }
            case .listen(let isListening): setListening(isListening)
            case .plug(let path, let isPresent):
                for index in state.receivers.indices
                where path == nil || state.receivers[index].description.path == path {
                    setConnected(index, isPresent, now: now)
                }
            }
        }
    }

    func setListening(_ isListening: Bool) {
        self.isListening = isListening
        if !isListening { for client in clients { client.reset() } }
    }
}
