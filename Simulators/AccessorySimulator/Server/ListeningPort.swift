// SPDX-License-Identifier: Apache-2.0

import AccessoryFinding
import DeviceCore
import SystemCalls
import Trace

/// A Unix domain socket that accepts one program at a time. Confined to the server's thread.
final class ListeningPort: SimulatedPort {
    /// The delay in seconds before the next attempt after accept(2) has failed.
    private static let acceptRetryDelay = 0.1
    let node: ChannelNode
    private let path: String
    let endpoint: SimulatedAccessory.Endpoint
    private var listener: Int32
    private var connection: Int32 = -1
    /// A connection to the port's own socket. It fills the backlog while a program is connected, so that other programs
    /// are refused.
    private var backlogBlocker: Int32 = -1
    var programSession: ProgramSession?
    var totals = SimulatedTraffic()
    var isInputPaused = false
    private(set) var isClosed = false
    var closingDeadline: BootTime?
    /// The time of the next attempt after accept(2) has failed, for example because no descriptor is available. Until
    /// then, the listener is not polled, because poll(2) would report it as readable on every call.
    private var nextAcceptTime: BootTime?
    private let accept: (Int32) -> Int32

    init(
        _ endpoint: SimulatedAccessory.Endpoint, path: String, accept: @escaping (Int32) -> Int32 = Sockets.acceptNext
    ) throws(DeviceError) {
        (self.endpoint, self.path, self.accept) = (endpoint, path, accept)
        node = .socket(path: path)
        listener = try Self.makeListener(path)
    }

    deinit { close() }

    var deadline: BootTime { min(closingDeadline ?? .never, nextAcceptTime ?? .never) }

    var pollDescriptor: pollfd? {
        guard let programSession else {
            guard listener >= 0, nextAcceptTime == nil else { return nil }
            return pollfd(fd: listener, events: Int16(POLLIN), revents: 0)
        }
        var events: Int16 = 0
        if !isInputPaused, programSession.hasSpace { events |= Int16(POLLIN) }
        if programSession.hasOutput { events |= Int16(POLLOUT) }
        // After a hang-up, poll(2) returns immediately on every call, even if no events are requested. A connection
        // that has hung up is therefore polled only while events are requested.
        return events == 0 && programSession.hasProgramStoppedReading
            ? nil : pollfd(fd: connection, events: events, revents: 0)
    }

    func serve(revents: Int16, context: PortContext) {
        if let time = nextAcceptTime, time <= context.now { nextAcceptTime = nil }
        if programSession == nil {
            if revents != 0 { begin(context) }
        } else if revents & Int16(POLLHUP | POLLERR | POLLNVAL) != 0 {
            programSession?.hasProgramStoppedReading = true
        }
        guard let programSession else {
            if closingDeadline != nil { close() }
            return
        }
        if !isInputPaused { read(programSession, context) }
        while programSession.writePending({ bytes in systemSend(connection, bytes) }) {}
        // If the program closes the connection while input is paused, its pending bytes are lost.
        if isInputPaused, programSession.hasProgramStoppedReading { programSession.hasProgramClosed = true }
        if programSession.hasProgramClosed || programSession.isFinished
            || closingDeadline.map({ $0 <= context.now }) == true
        {
            end(context)
        }
    }

    func close() {
        guard !isClosed else { return }
        isClosed = true
        programSession?.stopPeer()
        endSession()
        for descriptor in [connection, backlogBlocker, listener] where descriptor >= 0 { systemClose(descriptor) }
        (connection, backlogBlocker, listener) = (-1, -1, -1)
        unlink(path)
    }

    private func read(_ programSession: ProgramSession, _ context: PortContext) {
        while programSession.hasSpace {
            let maximumCount = min(programSession.localChannel.spaceAvailable, context.buffer.count)
            let part = UnsafeMutableRawBufferPointer(rebasing: context.buffer[..<maximumCount])
            let count = recv(connection, part.baseAddress, part.count, Int32(MSG_DONTWAIT))
            if count > 0 {
                programSession.forward(UnsafeRawBufferPointer(rebasing: part[..<count]))
            } else if count < 0, errno == EINTR {
                continue
            } else {
                if count == 0 || errno != EAGAIN && errno != EWOULDBLOCK { programSession.hasProgramClosed = true }
                return
            }
        }
    }

    private func end(_ context: PortContext) {
        guard programSession != nil else { return }
        endSession(context)
        // Before the connection is closed, it is shut down and its remaining bytes are read. Otherwise, the program
        // would receive a reset instead of an end of file.
        shutdown(connection, Int32(SHUT_RDWR))
        while recv(connection, context.buffer.baseAddress, context.buffer.count, Int32(MSG_DONTWAIT)) > 0 {}
        systemClose(connection)
        connection = -1
        if closingDeadline != nil { close() } else { unblockBacklog() }
    }

    private func begin(_ context: PortContext) {
        guard let descriptor = acceptConnection() else {
            if errno != EAGAIN, errno != EWOULDBLOCK {
                nextAcceptTime = context.now.advanced(bySeconds: Self.acceptRetryDelay)
            }
            return
        }
        connection = descriptor
        blockBacklog()
        beginSession(context)
    }

    private func acceptConnection() -> Int32? {
        while true {
            let descriptor = accept(listener)
            if descriptor >= 0 { return descriptor }
            if errno != EINTR, errno != ECONNABORTED { return nil }
        }
    }

    /// Fills the backlog with a connection to the port's own socket. If another program already occupies the backlog,
    /// disconnects that program first. Gives up after 64 attempts, so that it does not block the server.
    private func blockBacklog() {
        for _ in 0..<64 {
            backlogBlocker = Sockets.connection(to: path) ?? -1
            if backlogBlocker >= 0 { return }
            guard let other = acceptConnection() else { return }
            systemClose(other)
        }
    }

    private func unblockBacklog() {
        guard backlogBlocker >= 0 else { return }
        systemClose(backlogBlocker)
        backlogBlocker = -1
        // The closed connection remains in the backlog until it is accepted.
        if let descriptor = acceptConnection() { systemClose(descriptor) }
    }

    private static func makeListener(_ path: String) throws(DeviceError) -> Int32 {
        let descriptor = Sockets.open(AF_UNIX, .stream)
        guard descriptor >= 0 else { throw failure("socket", path) }
        let call: String? =
            Sockets.withAddress(of: path) { address, length in
                if bind(descriptor, address, length) != 0 { return "bind" }
                // With a backlog of 0, a single pending connection fills the queue.
                return listen(descriptor, 0) == 0 ? nil : "listen"
            } ?? "bind"
        if let call {
            let error = failure(call, path)
            systemClose(descriptor)
            throw error
        }
        return descriptor
    }

    private static func failure(_ call: String, _ path: String) -> DeviceError {
        let number = errno
        let advice =
            switch number {
            case EMFILE, ENFILE: "Too many files are open. Raise the limit with ulimit -n, or simulate fewer at a time."
            case ENAMETOOLONG: "The path is too long for a socket. Set TMPDIR to a directory with a shorter path."
            default: "Set TMPDIR to another directory."
            }
        return DeviceError(
            number == EMFILE || number == ENFILE ? .notSupported : .inputOutput,
            "The simulated accessory cannot listen on \(path). \(advice)", cause: .system(call: call, errno: number))
    }
}

extension Sockets {
    /// Connects to the Unix domain socket at a path. Returns nil on failure, for example if the backlog is full.
    fileprivate static func connection(to path: String) -> Int32? {
        let descriptor = open(AF_UNIX, .stream)
        guard descriptor >= 0 else { return nil }
        if connect(descriptor, to: path) == 0 { return descriptor }
        systemClose(descriptor)
        return nil
    }
}
