// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import LoopbackServer
import Synchronization
import SystemCalls

/// The main loop of the server's thread. It waits for sockets and deadlines, and advances the sessions.
final class IIODServerLoop: ServiceLoop {
    private let serverRun: IIODRun
    private let shared: SharedIIODState
    private let maximumConnections: Int
    private let clock = LiveClock()
    private let acceptor: LoopbackAcceptor
    private var connections: [IIODConnection] = []
    private var pollSet: PollSet
    /// The value of the shared `revision` when other threads' changes were last handled.
    private var handledRevision = 0
    private var publishedConnectionCount = 0
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)

    init(_ serverRun: IIODRun, shared: SharedIIODState, listener: LoopbackListener, maximumConnections: Int) {
        (self.serverRun, self.shared) = (serverRun, shared)
        pollSet = PollSet(wakeUp: serverRun.wakeUp, clock: clock)
        acceptor = LoopbackAcceptor(listener)
        self.maximumConnections = max(1, maximumConnections)
    }

    deinit { buffer.deallocate() }

    func run() {
        // Initial faults take effect before the first client connects.
        var nextFault = clock.now
        while true {
            wait(until: nextFault)
            if serverRun.isStopped { break }
            let now = clock.now
            let (actions, hasChanged) = shared.state.withLock { state in
                let hasChanged = state.iiodState.applyFaults(now: now) || state.revision != handledRevision
                handledRevision = state.revision
                return (state.iiodState.faults.drainConnectionActions(), hasChanged)
            }
            perform(actions)
            // Entry 0 is the listener, and the connections follow in order. Newly accepted connections have not been
            // polled, so they have no events.
            acceptor.acceptPending(revents: pollSet[0], now: now) { addConnection($0) }
            for (index, connection) in connections.enumerated() {
                let events = pollSet[index + 1]
                if events != 0 || hasChanged || connection.deadline <= now {
                    serve(connection, events: events, now: now)
                }
            }
            // Serving a connection can apply faults scheduled for a sample number. It can also start the timeline,
            // which determines when timed faults are due.
            let (newActions, next) = shared.state.withLock {
                ($0.iiodState.faults.drainConnectionActions(), $0.iiodState.nextFaultTime)
            }
            perform(newActions)
            nextFault = next
            removeFinishedConnections()
        }
        for connection in connections { connection.isFinished = true }
        removeFinishedConnections()
        acceptor.isOpen = false
    }

    private func wait(until fault: BootTime) {
        let now = clock.now
        pollSet.begin(deadline: fault)
        pollSet.add(acceptor.pollDescriptor(now: now))
        pollSet.expire(at: acceptor.deadline(now: now))
        for connection in connections {
            var events: Int16 = 0
            if !connection.hasReceivedEndOfFile, connection.session.acceptsInput, !connection.isBlocked {
                events |= Int16(POLLIN)
            }
            if connection.isBlocked { events |= Int16(POLLOUT) }
            // After an end of file, poll(2) can report a hang-up on every call and return immediately, even if no
            // events are requested. The connection is therefore polled only while events are requested.
            let isWatched = events != 0 || !connection.hasReceivedEndOfFile
            pollSet.add(isWatched ? connection.descriptor : nil, events: events)
            pollSet.expire(at: connection.deadline)
        }
        // Samples must arrive on time, so the wait must be precise.
        pollSet.wait(isPrecise: true)
    }

    private func perform(_ actions: IIODFaultState.ConnectionActions) {
        if actions.drops { for connection in connections { connection.reset() } }
        if let isListening = actions.isListening { acceptor.isOpen = isListening }
    }

    private func addConnection(_ descriptor: Int32) {
        // If there is no room for the connection, it is released, which closes its socket.
        let connection = IIODConnection(descriptor)
        let current = connections.lazy.filter { !$0.isFinished }
        if current.count >= maximumConnections {
            // An older connection that has never received a reply is closed to make room for the new one.
            guard let unused = current.first(where: { !$0.hasReceivedReply }) else { return }
            unused.isFinished = true
        }
        connections.append(connection)
    }

    /// Reads from a connection once, executes its commands and sends the replies. Sets the time at which the connection
    /// must be served again.
    private func serve(_ connection: IIODConnection, events: Int16, now: BootTime) {
        guard !connection.isFinished else { return }
        if events & Int16(POLLIN | POLLHUP | POLLERR) != 0 { connection.read(through: buffer) }
        // After a hang-up, the client's remaining commands are still read and executed. The connection is finished at
        // the end of the input, or when the input buffer is full.
        if events & Int16(POLLHUP | POLLERR) != 0, connection.hasReceivedEndOfFile || !connection.session.acceptsInput {
            connection.isFinished = true
            return
        }
        connection.deadline = .never
        if !connection.session.output.isEmpty, isDelayed(connection, now: now) { return }
        // The number of iterations is limited so that one client cannot block the others.
        for _ in 0..<64 {
            if !connection.session.output.isEmpty {
                connection.write()
                if connection.isBlocked || connection.isFinished { return }
            }
            switch shared.state.withLock({ connection.session.advance(&$0.iiodState, now: now) }) {
            case .output: if isDelayed(connection, now: now) { return }
            case .input:
                // After an end of file, no more input arrives.
                if connection.hasReceivedEndOfFile { connection.isFinished = true }
                return
            case .time(let deadline):
                // A client that has closed its side of the connection does not wait for samples.
                if connection.hasReceivedEndOfFile { connection.isFinished = true }
                connection.deadline = deadline
                return
            case .ended:
                connection.isFinished = true
                return
            }
        }
        connection.deadline = now
    }

    /// Returns true if a `delay` fault holds back the connection's output, and sets the connection's deadline to the
    /// end of the delay.
    private func isDelayed(_ connection: IIODConnection, now: BootTime) -> Bool {
        guard connection.session.delayedUntil > now else { return false }
        connection.deadline = connection.session.delayedUntil
        return true
    }

    private func removeFinishedConnections() {
        guard connections.count != publishedConnectionCount || connections.contains(where: \.isFinished) else { return }
        let finished = connections.filter(\.isFinished)
        connections.removeAll(where: \.isFinished)
        let count = connections.count
        publishedConnectionCount = count
        shared.state.withLock { state in
            state.connectionCount = count
            for connection in finished { connection.session.close(&state.iiodState) }
        }
    }
}
