// SPDX-License-Identifier: Apache-2.0

import JSONBytes
import Synchronization

/// What the session tells and pages are sent: readings, messages, and what is kept of both for a page that comes later.
///
/// The session adds from any thread and never waits for a page; the server's thread takes what has come together.
package final class DashboardFeed: Sendable {
    /// What goes to every page at once.
    struct Flush: Sendable {
        /// Frames, and how many readings are in each; messages are none.
        var frames: [(bytes: [UInt8], readings: Int)] = []
        /// Readings that nobody took in time.
        var missed = 0
        /// What was sent before belongs to another place of the trace.
        var isNewPlace = false
        /// Answers for single pages.
        var answers: [(page: Int, frame: [UInt8])] = []
    }

    private struct State {
        var pending: [ReadingBatch]
        var messages: [DashboardMessage] = []
        var histories: [ChannelHistory]
        var gaps: [GapWatch]
        var way = WayHistory()
        /// What was told of late, oldest first.
        var recent: [[UInt8]] = []
        /// The last message of each type that is a state.
        var states: [String: [UInt8]] = [:]
        var answers: [(page: Int, frame: [UInt8])] = []
        var missed = 0
        var pages = 0
        var now = 0.0
        /// True while the minute before another place of a trace is played: it is kept, and not sent.
        var isRecalling = false
        var isNewPlace = false
        var notify: (@Sendable () -> Void)?
        /// True from when the server's thread was called until it takes.
        var hasCalled = false
    }

    /// The most readings of a channel, and the most messages, that wait for the server's thread.
    private static let limit = 4096
    /// So many messages of late are kept; pages show no more.
    private static let recentLimit = 200
    /// Readings of a frame of history.
    private static let portion = 1000
    /// The states, in the order in which pages get them.
    private static let order = [
        "locationFailed", "satellites", "regions", "walk", "accessories", "users", "doctor",
    ]

    /// Those that belong to a place of a trace. That there is no position is told once, and may hold there too.
    private static let placed = ["satellites", "walk"]

    /// How many seconds of readings are kept.
    package static var historyLength: Double { ChannelHistory.length }

    package let channels: [DashboardChannel]
    private let state: Mutex<State>

    package init(channels: [DashboardChannel]) {
        self.channels = channels
        state = Mutex(
            State(
                pending: channels.map { ReadingBatch(axes: $0.axes.count) },
                histories: channels.map { _ in ChannelHistory() }, gaps: channels.map { _ in GapWatch() }))
    }

    // MARK: The session's side

    /// Adds a reading: seconds on the session's clock, and as many values as the channel has axes; NaN for what is not known.
    package func add(_ channel: Int, at time: Double, _ reading: SIMD4<Float>) {
        let call = state.withLock { state -> (@Sendable () -> Void)? in
            guard state.pending.indices.contains(channel) else { return nil }
            if let gap = state.gaps[channel].take(time) {
                put(channel, gap.breaks, SIMD4(repeating: .nan), isMark: true, in: &state)
                tell(gap: channel, from: gap.start, to: time, in: &state)
            }
            put(channel, time, reading, in: &state)
            return caller(&state)
        }
        call?()
    }

    /// Adds a message.
    package func tell(_ message: DashboardMessage) {
        let call = state.withLock { state -> (@Sendable () -> Void)? in
            if let ended = message.ended { state.states[ended] = nil }
            switch message.worth {
            case .state: state.states[message.type] = message.frame
            case .way: state.way.add(message.frame)
            case .recent:
                state.recent.append(message.frame)
                if state.recent.count > Self.recentLimit { state.recent.removeFirst() }
            case .news: break
            }
            queue(message, in: &state)
            return caller(&state)
        }
        call?()
    }

    /// What time it is for the session, in seconds.
    package func set(now: Double) { state.withLock { $0.now = now } }

    /// Answers a command of one page.
    package func answer(_ page: Int, _ message: DashboardMessage) {
        let call = state.withLock { state -> (@Sendable () -> Void)? in
            guard state.answers.count < Self.limit else { return nil }
            state.answers.append((page, message.frame))
            return caller(&state)
        }
        call?()
    }

    /// Forgets what was told; what is added from here on is kept and not sent, until ``endRecall(at:)``.
    package func beginRecall() {
        state.withLock { state in
            state.isRecalling = true
            state.messages.removeAll { $0.worth != .news }
            for index in state.pending.indices {
                state.pending[index].removeAll()
                state.histories[index].removeAll()
                state.gaps[index] = GapWatch()
            }
            state.way = WayHistory()
            state.recent = []
            for type in Self.placed { state.states[type] = nil }
        }
    }

    /// Sends pages what was kept, in place of all that they have.
    package func endRecall(at now: Double) {
        let call = state.withLock { state -> (@Sendable () -> Void)? in
            state.isRecalling = false
            state.isNewPlace = true
            state.now = now
            return caller(&state)
        }
        call?()
    }

    private func put(
        _ channel: Int, _ time: Double, _ reading: SIMD4<Float>, isMark: Bool = false, in state: inout State
    ) {
        state.histories[channel].add(time, reading, isMark: isMark)
        guard !state.isRecalling, state.pages > 0 else { return }
        if state.pending[channel].count < Self.limit {
            state.pending[channel].append(time, reading)
        } else {
            state.missed += 1
        }
    }

    private func tell(gap channel: Int, from start: Double, to end: Double, in state: inout State) {
        let message = DashboardMessage("gap", .news) { writer in
            writer.member("t", start)
            writer.member("channel", channel)
            writer.member("seconds", end - start)
        }
        queue(message, in: &state)
    }

    private func queue(_ message: DashboardMessage, in state: inout State) {
        guard !state.isRecalling, state.pages > 0 else { return }
        // Of a state only the last one counts.
        if message.worth == .state, let index = state.messages.lastIndex(where: { $0.type == message.type }) {
            state.messages.remove(at: index)
        }
        if state.messages.count < Self.limit {
            state.messages.append(message)
        } else {
            state.missed += 1
        }
    }

    /// What calls the server's thread, once for all that comes until it takes.
    private func caller(_ state: inout State) -> (@Sendable () -> Void)? {
        guard !state.hasCalled, state.pages > 0 || !state.answers.isEmpty else { return nil }
        state.hasCalled = true
        return state.notify
    }

    // MARK: The server's side

    /// Who is called when there is something to take.
    func whenFilled(_ notify: (@Sendable () -> Void)?) { state.withLock { $0.notify = notify } }

    /// What time it is for the session.
    var now: Double { state.withLock { $0.now } }

    /// True when there is something to take.
    var isFilled: Bool { state.withLock { $0.hasCalled } }

    /// Takes what has come together since the last time.
    func take(pages: Int) -> Flush {
        state.withLock { state in
            state.pages = pages
            return take(&state)
        }
    }

    /// Takes what has come together, for the pages that are there, and what a page that comes gets to begin with.
    func takeForNewPage(pages: Int) -> (Flush, beginning: [(bytes: [UInt8], readings: Int)]) {
        state.withLock { state in
            let flush = take(&state)
            state.pages = pages
            return (flush, history(state))
        }
    }

    private func take(_ state: inout State) -> Flush {
        var flush = Flush()
        state.hasCalled = false
        flush.isNewPlace = state.isNewPlace
        swap(&flush.answers, &state.answers)
        if state.isNewPlace {
            state.isNewPlace = false
            flush.frames.append((DashboardMessage("clear", .news) { _ in }.frame, 0))
            flush.frames += history(state)
            // What came after the recall is in the history, but for what is told once.
            for index in state.pending.indices { state.pending[index].removeAll() }
            state.messages.removeAll { $0.worth != .news }
            state.missed = 0
        }
        for (index, batch) in state.pending.enumerated() where batch.count > 0 {
            flush.frames.append((batch.frame(channel: UInt8(index), 0..<batch.count), batch.count))
            state.pending[index].removeAll()
        }
        for message in state.messages { flush.frames.append((message.frame, message.worth == .state ? 0 : 1)) }
        state.messages.removeAll()
        swap(&flush.missed, &state.missed)
        return flush
    }

    /// The minute before now, the way, the last state of everything, and what was told of late.
    private func history(_ state: State) -> [(bytes: [UInt8], readings: Int)] {
        var frames: [(bytes: [UInt8], readings: Int)] = []
        if let playback = state.states["playback"] { frames.append((playback, 0)) }
        for (index, history) in state.histories.enumerated() {
            let batch = history.batch(axes: channels[index].axes.count, upTo: state.now)
            for start in stride(from: 0, to: batch.count, by: Self.portion) {
                let range = start..<min(start + Self.portion, batch.count)
                frames.append((batch.frame(channel: UInt8(index), range), range.count))
            }
        }
        frames += state.way.frames.map { ($0, 1) }
        for name in Self.order { if let frame = state.states[name] { frames.append((frame, 0)) } }
        frames += state.recent.map { ($0, 1) }
        let now = state.now
        frames.append((DashboardMessage("ready", .news) { $0.member("t", now) }.frame, 0))
        return frames
    }
}

/// The way so far: every point of a short one, every other of one twice as long, and so on.
struct WayHistory: Sendable {
    static let limit = 2000

    private var points: [[UInt8]] = []
    private var newest: [UInt8]?
    private var stride = 1
    private var count = 0

    init() {}

    /// The points that are kept, and the newest.
    var frames: [[UInt8]] { points + (newest.map { [$0] } ?? []) }

    mutating func add(_ frame: [UInt8]) {
        defer { count += 1 }
        guard count % stride == 0 else {
            newest = frame
            return
        }
        newest = nil
        points.append(frame)
        guard points.count >= Self.limit else { return }
        points = points.enumerated().filter { $0.offset % 2 == 0 }.map(\.element)
        stride *= 2
    }
}
