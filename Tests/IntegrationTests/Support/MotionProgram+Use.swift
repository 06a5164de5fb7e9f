// SPDX-License-Identifier: Apache-2.0

import Testing

extension MotionProgram {
    /// Expects that the program has slept since an earlier answer to "use".
    ///
    /// On a busy machine even little work may take long, so the number of wake-ups decides: several per second for
    /// retries, thousands in a loop without a pause. A loop that never sleeps uses most of the processor. Readings that
    /// arrive wake the program as well: reading axis by axis takes three requests and a delivery.
    func expectSleep(since before: MotionLine, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let after = try await ask("use")
        let (start, end) = (try #require(before.arrival), try #require(after.arrival))
        let seconds = Double(end - start) * 1e-9
        let readings = Double(all("samples").count { (start...end).contains($0.arrival ?? 0) })
        let milliseconds = Double(try #require(after.milliseconds) - #require(before.milliseconds))
        let sleeps = Double(try #require(after.sleeps) - #require(before.sleeps))
        #expect(milliseconds < 200 * seconds, sourceLocation: sourceLocation)
        #expect(sleeps < 60 * (seconds + 2) + 10 * readings, sourceLocation: sourceLocation)
    }

    /// Expects that the program holds no more resources than at an earlier answer to "use", after pending work has
    /// ended.
    func expectNothingLeft(since before: MotionLine, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let descriptors = try #require(before.descriptors)
        let threads = try #require(before.threads)
        let kilobytes = try #require(before.kilobytes)
        let deadline = ContinuousClock.now + .seconds(timeout)
        while true {
            let now = try await ask("use")
            let hasSettled = try #require(now.descriptors) <= descriptors && #require(now.threads) <= threads
            guard hasSettled || ContinuousClock.now >= deadline else {
                // Polls, because no event reports the end of a thread in another process.
                try await Task.sleep(for: .milliseconds(5))
                continue
            }
            #expect(hasSettled, "\(now)", sourceLocation: sourceLocation)
            #expect(try #require(now.kilobytes) <= kilobytes + 2048, sourceLocation: sourceLocation)
            return
        }
    }
}
