// SPDX-License-Identifier: Apache-2.0

import Testing

extension MotionProgram {
    /// Expects that the program has slept since an earlier answer to "use".
    ///
    /// On a busy machine the little that a process does may take long, so what counts is how often it woke up: some
    /// times a second when something is tried again, thousands of times in a loop without a pause. A loop that does not
    /// even sleep has the processor for itself, or a good part of it. Readings that come meanwhile wake it too: one that
    /// is read axis by axis asks the server three times, and is handed over.
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

    /// Expects that the program holds no more than at an earlier answer to "use", as soon as what is ending has ended.
    func expectNothingLeft(since before: MotionLine, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let descriptors = try #require(before.descriptors)
        let threads = try #require(before.threads)
        let kilobytes = try #require(before.kilobytes)
        let deadline = ContinuousClock.now + .seconds(patience)
        while true {
            let now = try await ask("use")
            let hasSettled = try #require(now.descriptors) <= descriptors && #require(now.threads) <= threads
            guard hasSettled || ContinuousClock.now >= deadline else {
                // Nothing tells that a thread of another process has ended.
                try await Task.sleep(for: .milliseconds(5))
                continue
            }
            #expect(hasSettled, "\(now)", sourceLocation: sourceLocation)
            #expect(try #require(now.kilobytes) <= kilobytes + 2048, sourceLocation: sourceLocation)
            return
        }
    }
}
