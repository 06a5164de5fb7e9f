// SPDX-License-Identifier: Apache-2.0

import JSONBytes
import Synchronization

/// A queue that carries readings and messages from the session to the pages, with a history for pages that connect
/// later. The session adds data from any thread and never waits for a page. The server's thread drains the queue.
package final class DashboardFeed: Sendable {
    struct Flush: Sendable {
        /// The frames to send, each with its number of readings. A message that may be dropped as readily as a reading
        /// counts as one reading. Any other message counts as 0.
        var frames: [(bytes: [UInt8], readings: Int)] = []
        var droppedCount = 0
        /// True if the playback position has jumped, so the pages must discard all earlier data.
        var hasSeeked = false
        var responses: [(page: Int, frame: [UInt8])] = []
    }

    /// `pending`, `histories` and `gaps` have one element per channel, in the order of `channels`.
    private struct State {
        var pending: [ReadingBatch]
        var messages: [DashboardMessage] = []
        var histories: [ChannelHistory]
        var gaps: [GapDetector]
        var track = TrackHistory()
        var recent: [[UInt8]] = []
        /// The frames for the latest states, keyed by message type.
        var states: [String: [UInt8]] = [:]
        var responses: [(page: Int, frame: [UInt8])] = []
        var droppedCount = 0
        var pages = 0
        var now = 0.0
        /// True while the session replays the minute before a new playback position. Data from this minute is stored
        /// but not sent.
        var isReplayingHistory = false
        var hasSeeked = false
        var notify: (@Sendable () -> Void)?
        /// True from the moment the server's thread is notified until it drains the queue.
        var isDrainScheduled = false
    }

    /// The maximum number of readings in a channel's queue. The same limit applies to the queued messages and to the
    /// queued responses.
    private static let limit = 4096
    /// The maximum number of recent events stored for new pages.
    private static let recentLimit = 200
    private static let readingsPerFrame = 1000
    /// The order in which the feed sends states to a new page, after `playback`. Types not listed here are not sent.
    private static let order = [
        "overview",
        "locationFailed", "positionSource", "satellites", "place", "regions", "walk", "accessories", "users", "doctor",
    ]

    /// The states that a seek invalidates. `locationFailed` and `positionSource` are not listed, because they are sent
    /// only once and may still apply.
    private static let positionDependentStates = ["satellites", "place", "walk"]

    /// The time span covered by the stored readings, in seconds.
    package static var historyLength: Double { ChannelHistory.length }

    package let channels: [DashboardChannel]
    private let state: Mutex<State>

    package init(channels: [DashboardChannel]) {
        self.channels = channels
        state = Mutex(
            State(
                pending: channels.map { ReadingBatch(axes: $0.axes.count) },
                histories: channels.map { _ in ChannelHistory() }, gaps: channels.map { _ in GapDetector() }))
    }

    // MARK: Session interface

    /// Adds a reading to the channel with this index. The time is in seconds on the session's clock. Unknown values are
    /// NaN.
    package func add(_ channel: Int, at time: Double, _ reading: SIMD4<Float>) {
        update { state in
            guard state.pending.indices.contains(channel) else { return }
            if let gap = state.gaps[channel].process(time) {
                append(channel, gap.breakTime, SIMD4(repeating: .nan), isGapMarker: true, in: &state)
                let message = DashboardMessage("gap", .transient) { writer in
                    writer.member("t", gap.start)
                    writer.member("channel", channel)
                    writer.member("seconds", time - gap.start)
                }
                enqueue(message, in: &state)
            }
            append(channel, time, reading, in: &state)
        }
    }

    package func publish(_ message: DashboardMessage) {
        update { state in
            if let invalidatedState = message.invalidatedState { state.states[invalidatedState] = nil }
            switch message.retention {
            case .state, .recording: state.states[message.type] = message.frame
            case .track: state.track.add(message.frame)
            case .recent:
                state.recent.append(message.frame)
                if state.recent.count > Self.recentLimit { state.recent.removeFirst() }
            case .transient: break
            }
            enqueue(message, in: &state)
        }
    }

    /// Sets the time on the session's clock, in seconds.
    package func set(now: Double) { state.withLock { $0.now = now } }

    package func respond(to page: Int, with message: DashboardMessage) {
        update { state in if state.responses.count < Self.limit { state.responses.append((page, message.frame)) } }
    }

    /// Clears the history. Until ``endHistoryReplay(at:)`` is called, readings and messages are stored but not sent.
    package func beginHistoryReplay() {
        state.withLock { state in
            state.isReplayingHistory = true
            state.messages.removeAll(where: \.isReplacedByHistory)
            for index in state.pending.indices {
                state.pending[index].removeAll()
                state.histories[index].removeAll()
                state.gaps[index] = GapDetector()
            }
            state.track = TrackHistory()
            state.recent = []
            for type in Self.positionDependentStates { state.states[type] = nil }
        }
    }

    /// Sends the history to all pages, which discard their previous data.
    package func endHistoryReplay(at now: Double) {
        update { state in (state.isReplayingHistory, state.hasSeeked, state.now) = (false, true, now) }
    }

    private func append(
        _ channel: Int, _ time: Double, _ reading: SIMD4<Float>, isGapMarker: Bool = false, in state: inout State
    ) {
        state.histories[channel].add(time, reading, isGapMarker: isGapMarker)
        guard !state.isReplayingHistory, state.pages > 0 else { return }
        if state.pending[channel].count < Self.limit {
            state.pending[channel].append(time, reading)
        } else {
            state.droppedCount += 1
        }
    }

    private func enqueue(_ message: DashboardMessage, in state: inout State) {
        guard !state.isReplayingHistory || message.retention == .recording, state.pages > 0 else { return }
        // A newer state replaces the queued state of the same type.
        if message.isState, let index = state.messages.lastIndex(where: { $0.type == message.type }) {
            state.messages.remove(at: index)
        }
        if state.messages.count < Self.limit { state.messages.append(message) } else { state.droppedCount += 1 }
    }

    /// Applies a change, then notifies the server's thread if a page is connected or a response is queued. The thread
    /// is not notified again until it has drained the queue.
    private func update(_ change: (inout State) -> Void) {
        let notify = state.withLock { state -> (@Sendable () -> Void)? in
            change(&state)
            guard !state.isDrainScheduled, state.pages > 0 || !state.responses.isEmpty else { return nil }
            state.isDrainScheduled = true
            return state.notify
        }
        notify?()
    }

    // MARK: Server interface

    /// Sets the closure that is called, on the session's threads, when data becomes available.
    func onPendingData(_ notify: (@Sendable () -> Void)?) { state.withLock { $0.notify = notify } }

    var now: Double { state.withLock { $0.now } }
    var hasPendingData: Bool { state.withLock { $0.isDrainScheduled } }

    func drain(pages: Int) -> Flush {
        state.withLock { state in
            state.pages = pages
            return drain(&state)
        }
    }

    /// Removes and returns all queued data when a new page connects. Also returns the history, which is sent only to
    /// this page. `pages` is the number of connected pages, including this one.
    func drainForNewPage(pages: Int) -> (Flush, history: [(bytes: [UInt8], readings: Int)]) {
        state.withLock { state in
            let flush = drain(&state)
            state.pages = pages
            return (flush, history(state, isForNewPage: true))
        }
    }

    private func drain(_ state: inout State) -> Flush {
        var flush = Flush()
        state.isDrainScheduled = false
        flush.hasSeeked = state.hasSeeked
        swap(&flush.responses, &state.responses)
        if state.hasSeeked {
            state.hasSeeked = false
            flush.frames.append((DashboardMessage("clear", .transient) { _ in }.frame, 0))
            flush.frames += history(state, isForNewPage: false)
            // Removes the queued data that the history already contains.
            for index in state.pending.indices { state.pending[index].removeAll() }
            state.messages.removeAll(where: \.isReplacedByHistory)
            state.droppedCount = 0
        }
        for (index, batch) in state.pending.enumerated() where batch.count > 0 {
            flush.frames.append((batch.frame(channel: UInt8(index), 0..<batch.count), batch.count))
            state.pending[index].removeAll()
        }
        for message in state.messages { flush.frames.append((message.frame, message.isState ? 0 : 1)) }
        state.messages.removeAll()
        swap(&flush.droppedCount, &state.droppedCount)
        return flush
    }

    private func history(_ state: State, isForNewPage: Bool) -> [(bytes: [UInt8], readings: Int)] {
        var frames: [(bytes: [UInt8], readings: Int)] = []
        if let playback = state.states["playback"] { frames.append((playback, 0)) }
        for (index, history) in state.histories.enumerated() {
            let batch = history.batch(axes: channels[index].axes.count, upTo: state.now)
            for start in stride(from: 0, to: batch.count, by: Self.readingsPerFrame) {
                let range = start..<min(start + Self.readingsPerFrame, batch.count)
                frames.append((batch.frame(channel: UInt8(index), range), range.count))
            }
        }
        frames += state.track.frames.map { ($0, 1) }
        for name in Self.order where isForNewPage || name != "overview" {
            if let frame = state.states[name] { frames.append((frame, 0)) }
        }
        frames += state.recent.map { ($0, 1) }
        let now = state.now
        frames.append((DashboardMessage("ready", .transient) { $0.member("t", now) }.frame, 0))
        return frames
    }
}

/// A location track in bounded memory. If the track becomes too long, every other point is removed.
struct TrackHistory: Sendable {
    static let limit = 2000

    private var points: [[UInt8]] = []
    private var newest: [UInt8]?
    private var stride = 1
    private var count = 0

    var frames: [[UInt8]] { points + (newest.map { [$0] } ?? []) }

    mutating func add(_ frame: [UInt8]) {
        defer { count += 1 }
        newest = count % stride == 0 ? nil : frame
        guard newest == nil else { return }
        points.append(frame)
        guard points.count >= Self.limit else { return }
        points = points.enumerated().filter { $0.offset % 2 == 0 }.map(\.element)
        stride *= 2
    }
}
