// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation

/// Decides which event a stream's delegate is told next. It knows rules only, and does nothing.
///
/// The rules are those of Apple's streams. The opening is told first. That bytes or space are there is told once, and
/// again only after the program has read or written something. The conclusion is told once: the end of an input stream
/// when the last byte was read. Nothing is told before the stream is open or once it is closed. While the program
/// handles an event in a callback that runs the run loop, the same event is not told inside of it.
struct StreamEvents {
    enum Direction { case input, output }

    private enum Phase { case notOpen, open, closed }

    let direction: Direction
    private var phase = Phase.notOpen
    private var isOpeningTold = false
    private var isConclusionTold = false
    /// True when bytes or space are news.
    private var isArmed = true
    private var hasFailed = false
    /// Events that the program is handling.
    private var running: Stream.Event = []

    init(_ direction: Direction) {
        self.direction = direction
    }

    var isOpen: Bool { phase == .open }
    var isClosed: Bool { phase == .closed }

    /// A stream is opened once; a closed one stays closed.
    mutating func open() {
        if phase == .notOpen { phase = .open }
    }

    mutating func close() {
        phase = .closed
    }

    /// The program has read, or written at least one byte, or has tried to.
    mutating func wasUsed() {
        isArmed = true
    }

    /// Writing has failed because the connection is over.
    mutating func fail() {
        hasFailed = true
    }

    /// What is to be told now, as the channel is.
    func pending(_ channel: @autoclosure () -> ByteChannelStatus) -> Stream.Event? {
        guard phase == .open, !isConclusionTold else { return nil }
        guard isOpeningTold else { return .openCompleted }
        if hasFailed { return .errorOccurred }
        let channel = channel()
        if direction == .input ? channel.bytesAvailable > 0 : channel.spaceAvailable > 0 {
            return isArmed ? permitted(direction == .input ? .hasBytesAvailable : .hasSpaceAvailable) : nil
        }
        guard channel.end != nil else { return nil }
        return failure(in: channel) == nil ? .endEncountered : .errorOccurred
    }

    /// The end of the channel, where it is a failure of this stream. An input stream fails only once nothing is left to be
    /// read, an output stream also when bytes were lost.
    func failure(in channel: ByteChannelStatus) -> ByteChannelEnd? {
        guard let end = channel.end else { return nil }
        let isFailure =
            switch direction {
            case .input: end.reason == .failed && channel.bytesAvailable == 0
            case .output: end.reason == .failed || end.unsentBytes > 0
            }
        return isFailure ? end : nil
    }

    /// The event that is pending is being told.
    mutating func begin(_ event: Stream.Event) {
        running.insert(event)
        switch event {
        case .openCompleted: isOpeningTold = true
        case .hasBytesAvailable, .hasSpaceAvailable: isArmed = false
        default: isConclusionTold = true
        }
    }

    /// The program has handled an event.
    mutating func finish(_ event: Stream.Event) {
        running.remove(event)
    }

    /// What the stream says of itself, as the channel is.
    func status(_ channel: @autoclosure () -> ByteChannelStatus) -> Stream.Status {
        switch phase {
        case .notOpen: return .notOpen
        case .closed: return .closed
        case .open: break
        }
        if hasFailed { return .error }
        let channel = channel()
        if channel.end == nil || (direction == .input && channel.bytesAvailable > 0) { return .open }
        return failure(in: channel) == nil ? .atEnd : .error
    }

    private func permitted(_ event: Stream.Event) -> Stream.Event? {
        running.contains(event) ? nil : event
    }
}
