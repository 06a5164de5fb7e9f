// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import LoopbackServer
import SystemCalls

/// The main loop of a receiver's thread, which writes the sentences to the terminal.
final class TerminalLoop: ServiceLoop {
    /// The polling interval, in seconds, for changes that generate no event. Examples are a program that resumes
    /// reading and, without inotify, a program that opens the terminal.
    private static let pollingInterval = 0.01
    /// The delay, in seconds, between the opening of the terminal and the start of playback. Programs discard input
    /// while they open a terminal, so earlier sentences would be lost.
    private static let startDelay = 0.5

    private let master: Int32
    private var player: SentencePlayer
    private let shared: SharedState
    private let options: GPSDServerOptions
    private let openWatcher: OpenWatcher
    /// True if inotify reports when a program opens the terminal, which makes polling unnecessary.
    private let isWatched: Bool
    private let clock = LiveClock()
    /// The bytes of the current sentences that have not yet been written.
    private var rest: ArraySlice<UInt8> = []
    private var isClosed = false

    /// Creates a loop for a pseudo-terminal with a non-blocking master. Releasing this object closes the master.
    init(
        master: Int32, path: String, _ player: SentencePlayer, shared: SharedState, options: GPSDServerOptions,
        openings: OpenWatcher = OpenWatcher()
    ) {
        (self.master, self.player, self.shared) = (master, player, shared)
        (self.options, self.openWatcher) = (options, openings)
        isWatched = openings.add(path)
    }

    deinit { hangUp() }

    func run() {
        if options.start == .immediately || waitForProgram() { play() }
        hangUp()
    }

    private func hangUp() {
        if !isClosed { close(master) }
        isClosed = true
    }

    /// Waits until a program has opened the terminal and is ready. Returns false if playback must stop.
    private func waitForProgram() -> Bool {
        while true {
            if shared.isStopped { return false }
            // Drain the events before checking the terminal, not afterwards. Otherwise, if a program opened the
            // terminal after the check, its event would be drained and the wait would not end.
            openWatcher.drain()
            guard PseudoTerminal.isHungUp(master) else { break }
            // Do not use `pollTarget(until:)` here, because it checks the terminal a second time. If a program opened
            // the terminal between the two checks, the loop would poll the master, which does not report the opening.
            let (descriptor, limit) = pollTargetWhileClosed(until: .never)
            _ = shared.wakeUp.wait(for: descriptor, until: limit, clock: clock)
        }
        return pause(until: clock.now.advanced(bySeconds: Self.startDelay))
    }

    private func play() {
        let start = clock.now
        player.begin(at: clock.wallTime)
        var (sent, lost): (Int64, Int64) = (0, 0)
        while let part = player.next() {
            if shared.isStopped { return }
            guard part.count > 0 else { continue }
            if let due = options.dueTime(part.time, from: start), !pause(until: due) { return }
            guard let isSent = write(part.bytes) else { return }
            if isSent { sent += part.count } else { lost += part.count }
            shared.update { ($0.status.reportCount, $0.status.lostCount) = (sent, lost) }
        }
        shared.update { $0.status.hasPlayed = true }
        switch options.end {
        case .unplug, .close: hangUp()
        case .silence, .loop: _ = pause(until: .never)
        }
    }

    // MARK: Waiting

    /// Returns the descriptor to wait for in addition to the wakeup pipe, and the time at which to stop waiting.
    func pollTarget(until deadline: BootTime) -> (descriptor: Int32?, deadline: BootTime) {
        if PseudoTerminal.isHungUp(master) { return pollTargetWhileClosed(until: deadline) }
        return (master, rest.isEmpty ? deadline : min(deadline, nextPoll))
    }

    func pollTargetWhileClosed(until deadline: BootTime) -> (descriptor: Int32?, deadline: BootTime) {
        // While the slave is closed, the master is not polled, because poll(2) would immediately report a hang-up on
        // every call.
        if isWatched { return (openWatcher.descriptor, deadline) }
        return (nil, min(deadline, nextPoll))
    }

    private var nextPoll: BootTime { clock.now.advanced(bySeconds: Self.pollingInterval) }

    /// Waits until the deadline. Meanwhile, discards input and writes unsent bytes. Returns false if playback must
    /// stop.
    private func pause(until deadline: BootTime) -> Bool {
        while true {
            if shared.isStopped { return false }
            if clock.now >= deadline { return true }
            openWatcher.drain()
            let (descriptor, limit) = pollTarget(until: deadline)
            let isReady = shared.wakeUp.wait(for: descriptor, until: limit, clock: clock)
            guard descriptor == master else { continue }
            if isReady { discardInput() }
            _ = sendRest()
        }
    }

    private func discardInput() {
        withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 1) { buffer in
            _ = read(master, buffer.baseAddress, buffer.count)
        }
    }

    // MARK: Writing

    /// Writes sentences. Returns false if the terminal does not accept them, or nil if playback must stop.
    private func write(_ bytes: [UInt8]) -> Bool? {
        if options.pace == .onDemand { return writeAll(bytes) ? true : nil }
        guard !PseudoTerminal.isHungUp(master) else {
            rest = []
            return false
        }
        guard sendRest() else { return false }
        let count = writeAvailable(bytes[...])
        // The rest of a partially written sentence is kept and written before the next sentence.
        if count > 0 { rest = bytes[count...] }
        return count > 0
    }

    /// Writes all bytes, waiting for a program to read them. Returns false if playback must stop.
    private func writeAll(_ bytes: [UInt8]) -> Bool {
        rest = bytes[...]
        while true {
            if PseudoTerminal.isHungUp(master) {
                // The unsent bytes are dropped, so that the next program receives only complete sentences.
                rest = []
                guard waitForProgram() else { return false }
                rest = bytes[...]
            }
            if sendRest() { return true }
            let events = Int16(POLLOUT) | Int16(POLLIN)
            if shared.wakeUp.wait(for: master, events: events, until: nextPoll, clock: clock) { discardInput() }
            if shared.isStopped { return false }
        }
    }

    private func sendRest() -> Bool {
        while !rest.isEmpty {
            let count = writeAvailable(rest)
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    private func writeAvailable(_ bytes: ArraySlice<UInt8>) -> Int {
        while true {
            let count = bytes.withUnsafeBytes { systemWrite(master, $0) }
            if count >= 0 || errno != EINTR { return max(0, count) }
        }
    }
}
