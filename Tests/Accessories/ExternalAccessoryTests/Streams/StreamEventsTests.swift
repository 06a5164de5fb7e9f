// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import Testing

@testable import ExternalAccessory

@Suite("Rules for stream events")
struct StreamEventsTests {
    /// The actions on a stream.
    private enum Step: CaseIterable {
        case open, close, use, ready, empty, end, fail, notify, finish
    }

    private enum Conclusion { case end, failure }

    /// Returns the status of a channel with this conclusion, with or without bytes and space available.
    private static func channel(_ isReady: Bool, _ conclusion: Conclusion?) -> ByteChannelStatus {
        let end: ByteChannelEnd? =
            switch conclusion {
            case .end: ByteChannelEnd(.hungUp)
            case .failure: ByteChannelEnd(.failed)
            case nil: nil
            }
        return ByteChannelStatus(bytesAvailable: isReady ? 1 : 0, spaceAvailable: isReady ? 1 : 0, end: end)
    }

    /// The state of a stream, its inputs and the delivered events.
    private struct Model {
        var events: StreamEvents
        var isReady = false
        var conclusion: Conclusion?
        var received: [Stream.Event] = []
        var running: [Stream.Event] = []
        /// The number of hasBytesAvailable and hasSpaceAvailable events since the app last read or wrote.
        var notifiedSinceUse = 0
        var wasClosed = false
        var wasOpened = false

        mutating func apply(_ step: Step) -> String? {
            switch step {
            case .open:
                if !wasClosed { wasOpened = true }
                events.open()
            case .close:
                wasClosed = true
                events.close()
            case .use:
                notifiedSinceUse = 0
                events.rearm()
            case .ready: isReady = conclusion == nil
            case .empty: isReady = false
            case .end: conclusion = conclusion ?? .end
            case .fail: conclusion = conclusion ?? .failure
            case .finish:
                if let event = running.popLast() { events.finish(event) }
            case .notify:
                guard let event = events.pending(StreamEventsTests.channel(isReady, conclusion)) else {
                    return missing()
                }
                let problem = check(event)
                events.begin(event)
                received.append(event)
                running.append(event)
                if event == .hasBytesAvailable || event == .hasSpaceAvailable { notifiedSinceUse += 1 }
                return problem
            }
            return nil
        }

        private func check(_ event: Stream.Event) -> String? {
            if !wasOpened || wasClosed { return "delivered while the stream is not open" }
            if event == .openCompleted { return received.isEmpty ? nil : "the opening is not the first" }
            if received.first != .openCompleted { return "something comes before the opening" }
            if received.contains(.endEncountered) || received.contains(.errorOccurred) {
                return "delivered after the conclusion"
            }
            if running.contains(event) { return "delivered during its own delivery" }
            switch event {
            case .hasBytesAvailable, .hasSpaceAvailable:
                if !isReady { return "there is nothing" }
                return notifiedSinceUse == 0 ? nil : "delivered twice without a read or write"
            case .endEncountered: return conclusion == .end ? nil : "it has not ended"
            case .errorOccurred: return conclusion == .failure ? nil : "it has not failed"
            default: return "an unknown event"
            }
        }

        /// Returns a description of the event that should have been delivered, or nil if there is none.
        private func missing() -> String? {
            guard wasOpened, !wasClosed, !received.contains(.endEncountered), !received.contains(.errorOccurred) else {
                return nil
            }
            if received.isEmpty { return "the opening is not delivered" }
            let event: Stream.Event = events.direction == .input ? .hasBytesAvailable : .hasSpaceAvailable
            if isReady {
                return notifiedSinceUse == 0 && !running.contains(event) ? "bytes or space are not delivered" : nil
            }
            return conclusion == nil ? nil : "the conclusion is not delivered"
        }
    }

    @Test("The rules hold for every order of actions", arguments: [StreamEvents.Direction.input, .output])
    func exhaustive(_ direction: StreamEvents.Direction) {
        var count = 0
        var problem: String?
        func explore(_ model: Model, depth: Int) {
            guard depth > 0, problem == nil else { return }
            for step in Step.allCases {
                var next = model
                if let failure = next.apply(step) {
                    problem = "\(failure), after \(next.received)"
                    return
                }
                count += 1
                explore(next, depth: depth - 1)
            }
        }
        // After the open event, six steps reach every state. Before it, five steps do.
        var opened = Model(events: StreamEvents(direction))
        for step in [Step.open, .notify, .finish] { _ = opened.apply(step) }
        explore(opened, depth: 6)
        explore(Model(events: StreamEvents(direction)), depth: 5)
        #expect(problem == nil)
        #expect(count > 500_000)
    }

    @Test("Unread bytes are reported before the end")
    func bytesBeforeEnd() {
        var events = StreamEvents(.input)
        events.open()
        events.begin(.openCompleted)
        events.finish(.openCompleted)
        #expect(events.pending(Self.channel(true, .end)) == .hasBytesAvailable)
        events.begin(.hasBytesAvailable)
        events.finish(.hasBytesAvailable)
        #expect(events.pending(Self.channel(true, .end)) == nil)
        #expect(events.pending(Self.channel(false, .end)) == .endEncountered)
    }

    @Test("A failed write is reported as an error, unless the end has been reported")
    func failedWrite() {
        var events = StreamEvents(.output)
        events.open()
        events.begin(.openCompleted)
        var other = events
        events.fail()
        #expect(events.pending(Self.channel(false, .end)) == .errorOccurred)
        #expect(events.status(Self.channel(false, .end)) == .error)
        other.begin(.endEncountered)
        other.fail()
        #expect(other.pending(Self.channel(false, .end)) == nil)
    }

    @Test("The status reflects the channel's end and the calls to open() and close()")
    func status() {
        var events = StreamEvents(.input)
        #expect(events.status(Self.channel(false, nil)) == .notOpen)
        events.open()
        #expect(events.status(Self.channel(false, nil)) == .open)
        #expect(events.status(Self.channel(false, .end)) == .atEnd)
        #expect(events.status(Self.channel(false, .failure)) == .error)
        events.close()
        #expect(events.status(Self.channel(false, .failure)) == .closed)
        events.open()
        #expect(events.status(Self.channel(false, nil)) == .closed)
    }
}
