// SPDX-License-Identifier: Apache-2.0

import CoreLocation
import Dispatch
import Foundation
import SimulatedDevice
import Synchronization
import Testing

/// Installing a device affects the whole process, so these tests run serially.
@Suite("Playback and programs with their own threads", .serialized, .timeLimit(.minutes(30)))
struct ThreadTests {
    /// Runs the closure on a new thread and returns when it ends.
    private func onThread(_ body: @escaping @Sendable () -> Void) async {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                body()
                continuation.resume()
            }
        }
    }

    @Test("A manager created on a background thread is called in order by the playing thread")
    func callsManagersOfThreads() async throws {
        let device = try Drive.device(10)
        let log = ValueLog<Double>()
        let client = LocationClient()
        await onThread {
            device.use {
                client.start { _, callback in
                    if case .location(let location) = callback { log.add(location.coordinate.latitude) }
                }
            }
        }
        try await device.play()
        #expect(log.all == Drive.latitudes(10))
    }

    @Test("An installed device serves managers created on any thread until it is uninstalled")
    func installs() async throws {
        let device = try Drive.device(10)
        let log = ValueLog<Double>()
        let client = LocationClient()
        device.install()
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            Thread.detachNewThread {
                DispatchQueue.global().async {
                    client.start { _, callback in
                        if case .location(let location) = callback { log.add(location.coordinate.latitude) }
                    }
                    continuation.resume()
                }
            }
        }
        try await device.play()
        device.uninstall()
        #expect(log.all == Drive.latitudes(10))
        #expect(log.all.count == 10)
    }

    @Test("Managers created in a callback belong to the same device")
    func bindsInCallbacks() async throws {
        let device = try Drive.device(6)
        let log = ValueLog<String>()
        let second = LocationClient()
        let first = LocationClient()
        device.use {
            first.start { _, callback in
                guard case .location(let location) = callback else { return }
                log.add("first \(location.coordinate.latitude)")
                guard second.manager == nil else { return }
                second.start { _, callback in
                    if case .location(let location) = callback { log.add("second \(location.coordinate.latitude)") }
                }
            }
        }
        try await device.play()
        let rest = Drive.latitudes(6).dropFirst().flatMap { ["first \($0)", "second \($0)"] }
        // A manager that starts late receives the known fix first.
        #expect(log.all == ["first 10.0", "second 10.0"] + rest)
    }

    @Test("Live delivery uses run loops and queues, and playback waits for them")
    func deliversAsLive() async throws {
        let count = 25
        let device = try Drive.device(count, delivery: .asLive)
        let log = ValueLog<String>()
        let onLoop = LocationClient()
        let onQueue = LocationClient()
        let onMain = LocationClient()
        let label = DispatchSpecificKey<Bool>()
        let queue = DispatchQueue(label: "own")
        queue.setSpecific(key: label, value: true)
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            Thread.detachNewThread {
                let thread = ObjectIdentifier(Thread.current)
                device.use {
                    onLoop.start { _, callback in
                        guard case .location = callback else { return }
                        log.add("loop \(ObjectIdentifier(Thread.current) == thread)")
                    }
                }
                continuation.resume()
                RunLoop.current.run()
            }
        }
        device.use {
            onQueue.start { _, callback in
                guard case .location = callback else { return }
                log.add("queue \(DispatchQueue.getSpecific(key: label) == true)")
            }
            onQueue.manager?.delegateQueue = queue
        }
        await MainActor.run {
            device.use {
                onMain.start { _, callback in
                    guard case .location = callback else { return }
                    log.add("main \(isOnMainQueue)")
                }
            }
        }
        try await device.play()
        let counts = Dictionary(grouping: log.all) { $0 }.mapValues(\.count)
        #expect(counts == ["loop true": count, "queue true": count, "main true": count])
    }

    @Test("With live delivery, playback waits for the queue of a manager created in an operation")
    func deliversAsLiveInOperations() async throws {
        let device = try Drive.device(15, delivery: .asLive)
        let log = ValueLog<Double>()
        let client = LocationClient()
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            OperationQueue().addOperation {
                device.use {
                    client.start { _, callback in
                        if case .location(let location) = callback { log.add(location.coordinate.latitude) }
                    }
                }
                continuation.resume()
            }
        }
        try await device.play()
        #expect(log.all == Drive.latitudes(15))
    }

    @Test("With live delivery, OperationQueue.main is the main queue, and playback waits for it")
    func deliversAsLiveInMainOperations() async throws {
        let device = try Drive.device(15, delivery: .asLive)
        let log = ValueLog<Bool>()
        let client = LocationClient()
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            OperationQueue.main.addOperation {
                device.use {
                    client.start { _, callback in
                        if case .location = callback { log.add(isOnMainQueue) }
                    }
                }
                continuation.resume()
            }
        }
        try await device.play()
        #expect(log.all == Array(repeating: true, count: 15))
    }

    @Test("With live delivery, main-queue callbacks run before play() on the main actor returns")
    @MainActor
    func deliversAsLiveOnMain() async throws {
        let device = try Drive.device(10, delivery: .asLive)
        let log = ValueLog<Bool>()
        let client = LocationClient()
        device.use {
            client.start { _, callback in
                if case .location = callback { log.add(isOnMainQueue) }
            }
        }
        try await device.play()
        #expect(log.all == Array(repeating: true, count: 10))
    }

    @Test("In-order delivery ignores a manager's delegate queue")
    func ignoresQueuesInOrder() async throws {
        let device = try Drive.device(10)
        let log = ValueLog<Double>()
        let client = LocationClient()
        device.use {
            client.start { _, callback in
                if case .location(let location) = callback { log.add(location.coordinate.latitude) }
            }
            client.manager?.delegateQueue = DispatchQueue(label: "own")
            playSynchronously(device)
        }
        #expect(log.all == Drive.latitudes(10))
    }
}
