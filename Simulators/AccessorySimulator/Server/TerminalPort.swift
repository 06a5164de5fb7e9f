// SPDX-License-Identifier: Apache-2.0

import AccessoryFinding
import DeviceCore
import LoopbackServer
import SystemCalls
import Trace

/// A pseudo-terminal that replaces a serial port.
///
/// The master is in packet mode, which reports when the program flushes the terminal. Flushing is the last step of
/// opening a port, and bytes sent earlier would be lost. A hang-up discards unread bytes, so a port waits for the
/// program to read before it closes.
final class TerminalPort: SimulatedPort {
    /// The polling interval for conditions without events, in seconds, while a port is opened or closed.
    private static let glance = 0.01
    /// The time after the opening at which a program is considered ready even if it has not flushed the terminal, in
    /// seconds.
    private static let patience = 0.3
    /// The time for a program to read after the last write, in seconds, if the number of unread bytes cannot be
    /// determined.
    private static let grace = 0.5

    private enum State {
        /// No program has opened the port.
        case closed
        /// A program has opened the port but has not flushed it yet.
        case opening(until: BootTime)
        case open
    }

    let node: ChannelNode
    private let path: String
    private let endpoint: SimulatedAccessory.Endpoint
    private var master: Int32
    /// Whether inotify reports that a program opens the port, so that polling is not necessary.
    private let isWatched: Bool
    private var state = State.closed
    var conversation: Conversation?
    var totals = PortTotals()
    var isInputHeld = false
    private(set) var isClosed = false
    var leavesUntil: BootTime?
    /// The time of the last write, from which `grace` counts.
    private var lastWrite = BootTime.zero
    private var nextGlance = BootTime.zero

    /// Creates a port.
    ///
    /// - Parameter openings: Reports to the server that a program has opened a port.
    init(_ endpoint: SimulatedAccessory.Endpoint, openings: OpeningWatch? = nil) throws(DeviceError) {
        self.endpoint = endpoint
        (master, path) = try PseudoTerminal.open(for: "the simulated accessory")
        // Packet mode reports flushes by the program.
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
        // While the port is closed, poll(2) would report a hang-up on every call.
        if case .closed = state { return nil }
        var events: Int16 = 0
        if let conversation {
            if !isInputHeld, conversation.hasSpace { events |= Int16(POLLIN) | Int16(POLLPRI) }
            if conversation.hasOutput { events |= Int16(POLLOUT) }
        } else {
            events = Int16(POLLIN) | Int16(POLLPRI)
        }
        // poll(2) reports a hang-up even without requested events. After the first report, it would do so on every
        // call.
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
                // The device does not read, so pending bytes of the program are lost.
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
            // A pseudo-terminal cannot hang up without being removed, so a peer that hangs up detaches its accessory.
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

    /// Records whether the program has closed the port or another program has opened it.
    private func listen(_ revents: Int16) {
        guard let conversation else { return }
        if conversation.isProgramDeaf || revents & Int16(POLLHUP | POLLERR | POLLNVAL) != 0 {
            conversation.isProgramDeaf = isHungUp
        }
    }

    /// Discards pending input from the program.
    private func drop(_ context: PortContext) {
        // Limited to the capacity of a terminal, because another program may have begun to write.
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
                    // A program that writes has finished opening the port.
                    if count > 1, conversation == nil { begin(context) }
                    conversation?.take(UnsafeRawBufferPointer(rebasing: part[1..<count]))
                } else if mark & UInt8(TIOCPKT_FLUSHREAD) != 0 {
                    // Also handles a port that was closed and opened again between two checks.
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

    /// Returns true if the program has no unread bytes.
    private func hasRead(_ context: PortContext) -> Bool {
        // A port in exclusive mode cannot be opened without privileges.
        PseudoTerminal.isRead(path) ?? (context.now.seconds(since: lastWrite) > Self.grace)
    }
}
