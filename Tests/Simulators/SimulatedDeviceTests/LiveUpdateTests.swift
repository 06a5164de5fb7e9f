// SPDX-License-Identifier: Apache-2.0

import CoreLocation
import DeviceCore
import Foundation
import SimulatedDevice
import Synchronization
import Testing

@Suite("Playback to async sequences", .timeLimit(.minutes(30)))
struct LiveUpdateTests {
    /// Consumes locations until the task is cancelled or `limit` locations have arrived.
    private func consume(
        _ log: ValueLog<Double>, limit: Int = .max, step: @escaping @Sendable () async -> Void = {}
    ) -> Task<Void, any Error> {
        Task {
            var seen = 0
            for try await update in CLLocationUpdate.liveUpdates() {
                // The first element may contain only the authorization.
                guard let location = update.location else { continue }
                log.add(location.coordinate.latitude)
                await step()
                seen += 1
                if seen == limit { break }
            }
        }
    }

    @Test("A consumer receives every element in lockstep with playback")
    func consumesEverything() async throws {
        let count = 30
        let device = try Drive.device(count)
        let log = ValueLog<Double>()
        let early = Atomic<Int>(0)
        try await device.use {
            let start = device.wallTime
            let task = consume(log) {
                // Playback must not reach the next second while the consumer processes this element.
                await Task.yield()
                let elapsed = device.wallTime.seconds(since: start)
                if Int(elapsed) != log.all.count - 1 { early.add(1, ordering: .relaxed) }
            }
            await device.waitForConsumers(1)
            try await device.play()
            #expect(log.all == Drive.latitudes(count))
            #expect(early.load(ordering: .relaxed) == 0)
            task.cancel()
            _ = await task.result
        }
    }

    @Test("A consumer that leaves its loop does not block playback")
    func leavesTheLoop() async throws {
        let device = try Drive.device(20)
        let log = ValueLog<Double>()
        try await device.use {
            let task = consume(log, limit: 3)
            await device.waitForConsumers(1)
            try await device.play()
            try await task.value
        }
        #expect(log.all == Drive.latitudes(3))
    }

    @Test("Cancelling a waiting consumer ends it, and playback continues")
    func cancels() async throws {
        let device = try Drive.device(20)
        let log = ValueLog<Double>()
        try await device.use {
            let task = consume(log)
            await device.waitForConsumers(1)
            for _ in 0..<5 { device.step() }
            await device.advance(by: 0)
            task.cancel()
            try await task.value
            let seen = log.all.count
            #expect(seen == 5)
            try await device.play()
            #expect(log.all.count == seen)
        }
    }

    @Test("Cancelling a consumer while it processes an element does not block playback")
    func cancelsBusyConsumer() async throws {
        let device = try Drive.device(20)
        let log = ValueLog<Double>()
        let handle = Mutex<Task<Void, any Error>?>(nil)
        try await device.use {
            let task = consume(log) {
                if log.all.count == 4 { handle.withLock { $0?.cancel() } }
            }
            handle.withLock { $0 = task }
            await device.waitForConsumers(1)
            try await device.play()
            try await task.value
        }
        #expect(log.all == Drive.latitudes(4))
    }

    @Test("Two consumers are independent, and each receives every element")
    func servesTwoConsumers() async throws {
        let count = 25
        let device = try Drive.device(count)
        let first = ValueLog<Double>()
        let second = ValueLog<Double>()
        try await device.use {
            let tasks = [consume(first), consume(second) { await Task.yield() }]
            await device.waitForConsumers(2)
            try await device.play()
            #expect(first.all == Drive.latitudes(count))
            #expect(second.all == Drive.latitudes(count))
            for task in tasks {
                task.cancel()
                _ = await task.result
            }
        }
    }

    @Test("A consumer on the main actor receives locations from play() on the main actor")
    @MainActor
    func servesMainActor() async throws {
        let device = try Drive.device(10)
        let log = ValueLog<Double>()
        try await device.use {
            let task = consume(log)
            await device.waitForConsumers(1)
            try await device.play()
            #expect(log.all == Drive.latitudes(10))
            task.cancel()
            _ = await task.result
        }
    }
}
