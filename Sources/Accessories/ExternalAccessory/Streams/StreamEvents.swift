// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Decides which event a stream's delegate is told next. It knows rules only, and does nothing.
///
/// The rules are those of Apple's streams. The opening is told first. That bytes or space are there is told once, and
/// again only after the program has read or written something. The conclusion is told once: the end of an input stream
/// when the last byte was read. Nothing is told before the stream is open or once it is closed. While the program
/// handles an event in a callback that runs the run loop, the same event is not told inside of it.
struct StreamEvents {
    enum Direction { case input, output }

    /// How a stream concludes.
    enum Conclusion { case end, failure }

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

    /// What is to be told now.
    /// - Parameters:
    ///   - isReady: Whether there are bytes or space; looked at when it matters only.
    ///   - conclusion: How the stream has concluded, an input stream only once nothing is left to be read.
    func pending(isReady: @autoclosure () -> Bool, conclusion: @autoclosure () -> Conclusion?) -> Stream.Event? {
        guard phase == .open, !isConclusionTold else { return nil }
        guard isOpeningTold else { return .openCompleted }
        switch direction {
        case .input:
            if isReady() { return isArmed ? permitted(.hasBytesAvailable) : nil }
        case .output:
            if !hasFailed, isArmed, isReady() { return permitted(.hasSpaceAvailable) }
        }
        if hasFailed { return .errorOccurred }
        switch conclusion() {
        case .end: return .endEncountered
        case .failure: return .errorOccurred
        case nil: return nil
        }
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

    /// What the stream says of itself.
    func status(conclusion: @autoclosure () -> Conclusion?) -> Stream.Status {
        switch phase {
        case .notOpen: return .notOpen
        case .closed: return .closed
        case .open: break
        }
        if hasFailed { return .error }
        switch conclusion() {
        case .end: return .atEnd
        case .failure: return .error
        case nil: return .open
        }
    }

    private func permitted(_ event: Stream.Event) -> Stream.Event? {
        running.contains(event) ? nil : event
    }
}
