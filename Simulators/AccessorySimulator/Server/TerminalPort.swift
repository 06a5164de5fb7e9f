// SPDX-License-Identifier: Apache-2.0

import AccessoryFinding
import DeviceCore
import LoopbackServer
import SystemCalls
import Trace

/// A pseudo-terminal in the place of a serial port.
///
/// Its master is in packet mode, which tells of a flush by the program: that is the last thing a program does when it
/// opens a port, and bytes sent before would be lost. A hang-up throws away what the program has not read; a port that
/// leaves waits for that.
final class TerminalPort: SimulatedPort {
    /// How often a port is looked at that somebody is about to leave or to use, as nothing tells of that.
    private static let glance = 0.01
    /// So long after the opening a program that does not flush is taken to be ready.
    private static let patience = 0.3
    /// Where it cannot be seen what the program has read, it has so long to read.
    private static let grace = 0.5

    private enum State {
        /// Nobody has the port open.
        case closed
        /// Somebody has, and has not flushed it yet.
        case opening(until: BootTime)
        case open
    }

    let node: ChannelNode
    private let path: String
    private let endpoint: SimulatedAccessory.Endpoint
    private var master: Int32
    /// True when its server is told that somebody has opened it, and it need not be looked at for that.
    private let isWatched: Bool
    private var state = State.closed
    var conversation: Conversation?
    var totals = PortTotals()
    var isInputHeld = false
    private(set) var isClosed = false
    var leavesUntil: BootTime?
    /// What was written last may not have been read before.
    private var lastWrite = BootTime.zero
    private var nextGlance = BootTime.zero

    /// - Parameter openings: what tells the server that a port was opened.
    init(_ endpoint: SimulatedAccessory.Endpoint, openings: OpeningWatch? = nil) throws(DeviceError) {
        self.endpoint = endpoint
        (master, path) = try PseudoTerminal.open(for: "the simulated accessory")
        // The program's flushes are told of.
        var on: Int32 = 1
        _ = ioctl(master, UInt(TIOCPKT), &on)
        node = .tty(path: path, TTYSettings())
        isWatched = openings?.add(path) ?? false
    }

    deinit { close() }

    var deadline: BootTime {
        switch state {
        case .closed: isWatched ? .never : nextGlance
        case .opening(let deadline): min(deadline, nextGlance)
        case .open: leavesUntil == nil && conversation?.isProgramDeaf != true ? .never : nextGlance
        }
    }

    var interest: pollfd? {
        // While it is closed poll would tell of the hang-up over and over.
        if case .closed = state { return nil }
        var events: Int16 = 0
        if let conversation {
            if !isInputHeld, conversation.hasSpace { events |= Int16(POLLIN) | Int16(POLLPRI) }
            if conversation.hasOutput { events |= Int16(POLLOUT) }
        } else {
            events = Int16(POLLIN) | Int16(POLLPRI)
        }
        // Without events a hang-up is told all the same; once it is known it would be told over and over.
        if events == 0, conversation?.isProgramDeaf ?? true { return nil }
        return pollfd(fd: master, events: events, revents: 0)
    }

    func serve(revents: Int16, context: PortContext) {
        guard master >= 0 else { return }
        nextGlance = context.now.advanced(bySeconds: Self.glance)
        switch state {
        case .closed:
            guard !isHungUp else { break }
            state = .opening(until: context.now.advanced(bySeconds: Self.patience))
            read(context)
        case .opening: read(context)
        case .open:
            listen(revents)
            if !isInputHeld {
                read(context)
            } else if let conversation, conversation.isProgramDeaf {
                // The device takes nothing in: what the program leaves behind is lost.
                drop(context)
                endSession(context)
                state = .closed
            }
        }
        if case .opening(let deadline) = state, deadline <= context.now { begin(context) }
        if let conversation {
            while conversation.give({ bytes in
                lastWrite = context.now
                return systemWrite(master, bytes)
            }) {}
            // There is no hang-up without the port: a peer that hangs up takes its accessory along.
            if conversation.isFinished, leavesUntil == nil { context.unplug() }
        }
        if let leavesUntil,
            leavesUntil <= context.now || conversation.map({ $0.isFinished && hasRead(context) }) ?? true
        {
            if let conversation { context.keep(conversation.session) }
            close()
        }
    }

    func close() {
        guard !isClosed else { return }
        isClosed = true
        conversation?.stopPeer()
        endSession()
        if master >= 0 { systemClose(master) }
        master = -1
    }

    /// Notes that the program is gone, or that another one is there.
    private func listen(_ revents: Int16) {
        guard let conversation else { return }
        if conversation.isProgramDeaf || revents & Int16(POLLHUP | POLLERR | POLLNVAL) != 0 {
            conversation.isProgramDeaf = isHungUp
        }
    }

    /// Throws away what nobody is to read.
    private func drop(_ context: PortContext) {
        // As much as a terminal holds, and no more: somebody else may have begun to write.
        var rest = 1 << 18
        while rest > 0 {
            let count = systemRead(master, context.buffer)
            guard count > 0 else { return }
            rest -= count
        }
    }

    private var isHungUp: Bool { PseudoTerminal.isHungUp(master) }

    private func read(_ context: PortContext) {
        while conversation?.hasSpace ?? true {
            let room = min(conversation?.near.spaceAvailable ?? 4096, context.buffer.count - 1)
            let part = UnsafeMutableRawBufferPointer(rebasing: context.buffer[...room])
            let count = systemRead(master, part)
            if count > 0 {
                let mark = part[0]
                if mark == 0 {
                    // A program that writes has the port ready.
                    if count > 1, conversation == nil { begin(context) }
                    conversation?.take(UnsafeRawBufferPointer(rebasing: part[1..<count]))
                } else if mark & UInt8(TIOCPKT_FLUSHREAD) != 0 {
                    // Also when the port was closed and opened again faster than could be seen.
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
        guard leavesUntil == nil else { return }
        totals.sessions += 1
        conversation = Conversation(endpoint, clock: context.clock, changed: context.changed, unplug: context.unplug)
    }

    /// True when nothing lies unread on the program's side.
    private func hasRead(_ context: PortContext) -> Bool {
        // Without privilege a port that is in exclusive use cannot be looked at.
        PseudoTerminal.isRead(path) ?? (context.now.seconds(since: lastWrite) > Self.grace)
    }
}
