// SPDX-License-Identifier: Apache-2.0

import ByteChannels
import DeviceCore
import Synchronization
import SystemCalls
import TestSupport
import Testing

/// If a lock were held while the observer runs, the observers of these tests would wait for 60 s.
@Suite("Other threads use a channel while its observer runs", .timeLimit(.minutes(5)))
struct ObserverLockTests {
    private let reactor = ChannelReactor()
    private let executor = ManualPollingExecutor()

    @Test("If the connection ends while the executor notifies the observer of bytes, the end is reported afterwards")
    func end() throws {
        let port = try ScriptedPort(inputBufferingTime: .infinity)
        let channel = try NodeChannel(port, clock: LiveClock(), tolerance: 600, reactor: reactor)
        let (events, isReleased, isFirst) = (EventList(), BinarySemaphore(), Flag())
        channel.whenReleased { isReleased.signal() }
        channel.observe { [weak channel] event in
            guard case .readable = event else { return events.append("\(event)") }
            // The reactor thread reads the port, ends the connection and releases the port.
            channel?.end(ByteChannelEnd(.detached))
            events.append(isReleased.wait(seconds: 60) ? "released" : "A lock is held, so the port is not released.")
        }
        channel.setExecutor(ExecutorIdentity(executor))
        try #require(executor.waitForRegistration())
        port.onRead.withLock { $0 = { isFirst.raise() } }
        executor.pollNow()
        #expect(events.all == ["released", "ended"])
        #expect(channel.bytesAvailable == 1)
    }

    @Test("While the reactor thread notifies the observer of an overdue read, another thread reads the port")
    func overdue() throws {
        let pair = try SocketPair(tolerance: 0, reactor: reactor)
        pair.channel.setExecutor(ExecutorIdentity(executor))
        try #require(executor.waitForRegistration())
        let (isNotified, hasRead, hasReturned) = (BinarySemaphore(), BinarySemaphore(), BinarySemaphore())
        let events = EventList()
        pair.channel.observe { event in
            guard case .readable = event, events.all.isEmpty else { return }
            isNotified.signal()
            events.append(hasRead.wait(seconds: 60) ? "read" : "A lock is held, so the port is not read.")
            hasReturned.signal()
        }
        try WorkerThread.start { [channel = pair.channel] in
            guard isNotified.wait(seconds: 60) else { return }
            channel.readPendingInput()
            hasRead.signal()
        }
        pair.peer.send([1])
        #expect(hasReturned.wait(seconds: 120))
        #expect(events.all == ["read"])
    }

    private final class EventList: Sendable {
        private let list = Mutex<[String]>([])

        var all: [String] { list.withLock { $0 } }
        func append(_ event: String) { list.withLock { $0.append(event) } }
    }
}
