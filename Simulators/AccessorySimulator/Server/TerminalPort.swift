// SPDX-License-Identifier: Apache-2.0

import AccessoryFinding
import DeviceCore
import LoopbackServer
import SystemCalls
import Trace

/// A pseudo-terminal that replaces a serial port. Confined to the server's thread.
///
/// Programs flush a serial port as the last step of opening it, and the flush discards all earlier bytes. The peer
/// therefore begins to send only after the flush. In packet mode, the master reports the flush. A hang-up also discards
/// unread bytes, so a closing port first waits for the program to read all bytes.
final class TerminalPort: SimulatedPort {
    /// The polling interval, in seconds, while a port is being opened or closed. Polling is necessary because some
    /// state changes generate no event.
    private static let pollingInterval = 0.01
    /// The time, in seconds, that a program has to flush a port after opening it. After this time, the port is
    /// considered ready even without a flush.
    private static let openTimeout = 0.3
    /// The time, in seconds, that a closing port waits after the last write to let the program read the bytes. Used
    /// only if the port cannot detect unread bytes.
    private static let readGracePeriod = 0.5

    private enum State {
        case closed
        case opening(until: BootTime)
        case open
    }

    let node: ChannelNode
    private let path: String
    let endpoint: SimulatedAccessory.Endpoint
    private var master: Int32
    /// True if inotify reports when a program opens the port, which makes polling unnecessary.
    private let isWatched: Bool
    private var state = State.closed
    var programSession: ProgramSession?
    var totals = SimulatedTraffic()
    var isInputPaused = false
    private(set) var isClosed = false
    var closingDeadline: BootTime?
    /// The time of the last write. `readGracePeriod` starts at this time.
    private var lastWrite = BootTime.zero
    private var nextPoll = BootTime.zero

    /// Creates a port. `openings` notifies the server when a program opens the port.
    init(_ endpoint: SimulatedAccessory.Endpoint, openings: OpenWatcher? = nil) throws(DeviceError) {
        self.endpoint = endpoint
        (master, path) = try PseudoTerminal.open(for: "the simulated accessory")
        var on: Int32 = 1
        _ = ioctl(master, UInt(TIOCPKT), &on)
        node = .tty(path: path, TTYSettings())
        isWatched = openings?.add(path) ?? false
    }

    deinit { close() }

    var deadline: BootTime {
        switch state {
        case .closed: isWatched ? .never : nextPoll
        case .opening(let deadline): min(deadline, nextPoll)
        case .open: closingDeadline == nil && programSession?.hasProgramStoppedReading != true ? .never : nextPoll
        }
    }

    var pollDescriptor: pollfd? {
        // A closed port is not polled, because poll(2) would immediately report a hang-up on every call.
        if case .closed = state { return nil }
        let input = Int16(POLLIN) | Int16(POLLPRI)
        var events = input
        if let programSession {
            events = !isInputPaused && programSession.hasSpace ? input : 0
            if programSession.hasOutput { events |= Int16(POLLOUT) }
        }
        // After a hang-up, poll(2) returns immediately on every call, even if no events are requested. The master is
        // therefore polled only while events are requested.
        if events == 0, programSession?.hasProgramStoppedReading ?? true { return nil }
        return pollfd(fd: master, events: events, revents: 0)
    }

    func serve(revents: Int16, context: PortContext) {
        guard master >= 0 else { return }
        nextPoll = context.now.advanced(bySeconds: Self.pollingInterval)
        switch state {
        case .closed:
            guard !isHungUp else { break }
            state = .opening(until: context.now.advanced(bySeconds: Self.openTimeout))
            read(context)
        case .opening: read(context)
        case .open:
            updateHangUpState(revents)
            if !isInputPaused {
                read(context)
            } else if let programSession, programSession.hasProgramStoppedReading {
                // The program closed the port while input was paused. Any bytes that the port has not yet read are
                // lost.
                discardInput(context)
                endSession(context)
                state = .closed
            }
        }
        if case .opening(let deadline) = state, deadline <= context.now { begin(context) }
        if let programSession {
            while programSession.writePending({ bytes in
                lastWrite = context.now
                return systemWrite(master, bytes)
            }) {}
            // A pseudo-terminal cannot hang up without being removed, so a peer that hangs up detaches its accessory.
            if programSession.isFinished, closingDeadline == nil { context.unplug() }
        }
        if let closingDeadline,
            closingDeadline <= context.now
                || programSession.map({ $0.isFinished && hasProgramReadAll(context) }) ?? true
        {
            if let programSession { context.retain(programSession.session) }
            close()
        }
    }

    func close() {
        guard !isClosed else { return }
        isClosed = true
        programSession?.stopPeer()
        endSession()
        if master >= 0 { systemClose(master) }
        master = -1
    }

    /// Updates `hasProgramStoppedReading`, which is true while no program has the port open. It becomes false again
    /// when a program reopens the port.
    private func updateHangUpState(_ revents: Int16) {
        guard let programSession else { return }
        if programSession.hasProgramStoppedReading || revents & Int16(POLLHUP | POLLERR | POLLNVAL) != 0 {
            programSession.hasProgramStoppedReading = isHungUp
        }
    }

    private func discardInput(_ context: PortContext) {
        // Discards at most as many bytes as a terminal can hold. Without this limit, a program that opens the port and
        // writes continuously could keep the loop running.
        var rest = 1 << 18
        while rest > 0 {
            let count = systemRead(master, context.buffer)
            guard count > 0 else { return }
            rest -= count
        }
    }

    private var isHungUp: Bool { PseudoTerminal.isHungUp(master) }

    private func read(_ context: PortContext) {
        while programSession?.hasSpace ?? true {
            // In packet mode, a status byte precedes the data of each read, so `part` is one byte longer than the data.
            let maximumCount = min(programSession?.localChannel.spaceAvailable ?? 4096, context.buffer.count - 1)
            let part = UnsafeMutableRawBufferPointer(rebasing: context.buffer[...maximumCount])
            let count = systemRead(master, part)
            if count > 0 {
                let status = part[0]
                if status == 0 {
                    // The program has written bytes, so it has finished opening the port.
                    if count > 1, programSession == nil { begin(context) }
                    programSession?.forward(UnsafeRawBufferPointer(rebasing: part[1..<count]))
                } else if status & UInt8(TIOCPKT_FLUSHREAD) != 0 {
                    // The port may have been closed and reopened between two checks, so the current session is ended
                    // first.
                    endSession(context)
                    begin(context)
                }
            } else if count < 0, errno == EINTR {
                continue
            } else {
                if count == 0 || errno != EAGAIN && errno != EWOULDBLOCK {
                    endSession(context)
                    state = .closed
                }
                return
            }
        }
    }

    private func begin(_ context: PortContext) {
        state = .open
        guard closingDeadline == nil else { return }
        beginSession(context)
    }

    private func hasProgramReadAll(_ context: PortContext) -> Bool {
        // `hasReadAllInput` has to open the port. It returns nil if the port is in exclusive mode, in which only
        // privileged processes can open it.
        PseudoTerminal.hasReadAllInput(path) ?? (context.now.seconds(since: lastWrite) > Self.readGracePeriod)
    }
}
