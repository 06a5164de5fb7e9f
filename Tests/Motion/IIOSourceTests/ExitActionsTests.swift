// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Dispatch
import Testing

@testable import IIOSource

@Suite("Actions on process exit")
struct ExitActionsTests {
    @Test("Actions run in reverse order, except for removed actions and actions of failed changes")
    func order() throws {
        let (actions, journal) = (ExitActions(), Journal())
        _ = try actions.add({ journal.record("timer") }, change: { journal.record("make timer") })
        let removed = try actions.add({ journal.record("removed") }, change: {}).id
        #expect(throws: IIOFailure.self) {
            try actions.add(
                { journal.record("failed") }, change: { () throws(IIOFailure) in throw IIOFailure("open", 16) })
        }
        _ = try actions.add({ journal.record("buffer") }, change: {})
        actions.remove(removed)
        actions.runAll()
        #expect(journal.all == ["make timer", "buffer", "timer"])
    }

    @Test("Changes are rejected once the process exits")
    func refusal() {
        let actions = ExitActions()
        actions.runAll()
        let failure = #expect(throws: IIOFailure.self) {
            try actions.add({}, change: { Issue.record("changed at exit") })
        }
        #expect(failure?.number == 125)
    }

    @Test("Exit waits for a change in progress")
    func waiting() throws {
        let (actions, journal) = (ExitActions(), Journal())
        let (entered, released, finished) = (
            DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
        )
        try WorkerThread.start {
            _ = try? actions.add({ journal.record("disable") }) {
                entered.signal()
                released.wait()
                journal.record("enable")
            }
        }
        entered.wait()
        try WorkerThread.start {
            actions.runAll()
            finished.signal()
        }
        released.signal()
        finished.wait()
        #expect(journal.all == ["enable", "disable"])
    }
}
