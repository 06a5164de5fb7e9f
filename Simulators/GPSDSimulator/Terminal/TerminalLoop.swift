// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import LoopbackServer
import SystemCalls

/// The thread of a receiver's terminal.
final class TerminalLoop: ServiceLoop {
    /// How often a terminal is looked at of which nothing tells: that its program reads on, and, without inotify, that
    /// somebody has opened it.
    private static let glance = 0.01
    /// So long after the opening a program is taken to be ready: it throws away what it finds before.
    private static let settling = 0.5

    private let master: Int32
    private var player: SentencePlayer
    private let shared: SharedState
    private let options: GPSDServerOptions
    private let openings: OpeningWatch
    /// True when it is told that somebody has opened the terminal, which then need not be looked at for that.
    private let isWatched: Bool
    private let clock = LiveClock()
    /// The rest of a sentence that there was no room for.
    private var rest: ArraySlice<UInt8> = []
    private var isClosed = false

    /// - Parameters:
    ///   - master: the terminal's own end, which is closed with this object, or before.
    ///   - path: the other end.
    init(
        master: Int32, path: String, _ player: SentencePlayer, shared: SharedState, options: GPSDServerOptions,
        openings: OpeningWatch = OpeningWatch()
    ) {
        self.master = master
        self.player = player
        self.shared = shared
        self.options = options
        self.openings = openings
        isWatched = openings.add(path)
    }

    deinit { hangUp() }

    func run() {
        if options.start == .atOnce || waitForProgram() { play() }
        hangUp()
    }

    private func hangUp() {
        if !isClosed { close(master) }
        isClosed = true
    }

    /// Waits until somebody has it open and is ready; false when playback is to stop.
    private func waitForProgram() -> Bool {
        while true {
            if shared.isStopped { return false }
            // Before the look, so that whoever comes in between is told of.
            openings.drain()
            guard PseudoTerminal.isHungUp(master) else { break }
            // Not asked again: who comes from here on is told of there, and nowhere else.
            let (descriptor, limit) = interestInOpening(until: .never)
            _ = shared.wakeUp.wait(for: descriptor, until: limit, clock: clock)
        }
        return pause(until: clock.now.advanced(bySeconds: Self.settling))
    }

    private func play() {
        let start = clock.now
        player.begin(at: clock.wallTime)
        var (sent, lost): (Int64, Int64) = (0, 0)
        while let part = player.next() {
            if shared.isStopped { return }
            guard part.count > 0 else { continue }
            if case .realTime(let speed) = options.pace {
                let due = start.advanced(bySeconds: Double(part.time) / 1e9 / (speed > 0 && speed.isFinite ? speed : 1))
                guard pause(until: due) else { return }
            }
            guard let isSent = write(part.bytes) else { return }
            if isSent { sent += part.count } else { lost += part.count }
            shared.change { ($0.reportCount, $0.lostCount) = (sent, lost) }
        }
        shared.change { $0.hasPlayed = true }
        switch options.end {
        case .unplug, .close: hangUp()
        case .silence, .loop: _ = pause(until: .never)
        }
    }

    // MARK: Waiting

    /// What it waits for besides its wake-up, for as long as nothing is due: on which descriptor, and how long at most.
    func interest(until deadline: BootTime) -> (descriptor: Int32?, deadline: BootTime) {
        guard PseudoTerminal.isHungUp(master) else {
            return (master, rest.isEmpty ? deadline : min(deadline, clock.now.advanced(bySeconds: Self.glance)))
        }
        return interestInOpening(until: deadline)
    }

    /// The same while nobody has it open.
    func interestInOpening(until deadline: BootTime) -> (descriptor: Int32?, deadline: BootTime) {
        // Poll would tell of the hang-up over and over.
        if isWatched { return (openings.descriptor, deadline) }
        return (nil, min(deadline, clock.now.advanced(bySeconds: Self.glance)))
    }

    /// Waits, and throws away what a program writes to the receiver; false when playback is to stop.
    private func pause(until deadline: BootTime) -> Bool {
        while true {
            if shared.isStopped { return false }
            if clock.now >= deadline { return true }
            openings.drain()
            let (descriptor, limit) = interest(until: deadline)
            let isReady = shared.wakeUp.wait(for: descriptor, until: limit, clock: clock)
            guard descriptor == master else { continue }
            if isReady { drop() }
            _ = sendRest()
        }
    }

    private func drop() {
        withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 1) { buffer in
            _ = read(master, buffer.baseAddress, buffer.count)
        }
    }

    // MARK: Writing

    /// Writes; false when nobody has it open or there is no room, nil when playback is to stop.
    private func write(_ bytes: [UInt8]) -> Bool? {
        if options.pace == .asFastAsRead { return writeAll(bytes) ? true : nil }
        guard !PseudoTerminal.isHungUp(master) else {
            rest = []
            return false
        }
        guard sendRest() else { return false }
        let count = put(bytes[...])
        // Half a sentence is not left behind: the rest goes before the next.
        if count > 0 { rest = bytes[count...] }
        return count > 0
    }

    /// Writes all of it, and waits for the room and for somebody who reads; false when playback is to stop.
    private func writeAll(_ bytes: [UInt8]) -> Bool {
        rest = bytes[...]
        while true {
            if PseudoTerminal.isHungUp(master) {
                // Whoever comes next gets whole sentences.
                rest = []
                guard waitForProgram() else { return false }
                rest = bytes[...]
            }
            if sendRest() { return true }
            if shared.wakeUp.wait(
                for: master, events: Int16(POLLOUT) | Int16(POLLIN),
                until: clock.now.advanced(bySeconds: Self.glance), clock: clock)
            {
                drop()
            }
            if shared.isStopped { return false }
        }
    }

    /// Writes what there was no room for before; true when nothing is left.
    private func sendRest() -> Bool {
        while !rest.isEmpty {
            let count = put(rest)
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// How many bytes the terminal takes now.
    private func put(_ bytes: ArraySlice<UInt8>) -> Int {
        while true {
            let count = bytes.withUnsafeBytes { systemWrite(master, $0) }
            if count >= 0 || errno != EINTR { return max(0, count) }
        }
    }
}
