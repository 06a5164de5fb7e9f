// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import Synchronization

/// Everything behind one loop over batches of accelerometer readings.
final class BatchConsumer: Sendable {
    /// More batches than this do not wait: the oldest are dropped.
    static let limit = 16

    /// What a loop is told: readings, or why there are none. The loop is over after a failure.
    enum Element: Sendable {
        case readings([MotionReading])
        case failure(DeviceError)
        case end
    }

    private struct State {
        var waiting: CheckedContinuation<Element, Never>?
        var mailbox = Mailbox<[MotionReading]>(limit: BatchConsumer.limit)
        var shaper = SecondOfReadings()
        var isStarted = false
        var isFinished = false
        /// True while the program works on an element.
        var isBusy = false
    }

    private let device: Device
    private let state = Mutex(State())
    private let subscription = Mutex<Subscription?>(nil)

    init(device: Device) {
        self.device = device
    }

    // MARK: The program's side

    func next() async -> Element {
        start()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let answer = state.withLock { state -> Element? in
                    if state.isBusy { device.playback?.consumers.end() }
                    state.isBusy = false
                    if state.isFinished || Task.isCancelled { return .end }
                    guard let element = takeElement(&state) else {
                        state.waiting = continuation
                        return nil
                    }
                    return element
                }
                if let answer { continuation.resume(returning: answer) }
            }
        } onCancel: {
            finish()
        }
    }

    /// The loop was left, or its task cancelled.
    func finish() {
        let waiting = state.withLock { state -> CheckedContinuation<Element, Never>? in
            guard !state.isFinished else { return nil }
            state.isFinished = true
            if state.isStarted {
                if state.isBusy { device.playback?.consumers.end() }
                device.playback?.consumers.leave()
            }
            state.isBusy = false
            defer { state.waiting = nil }
            return state.waiting
        }
        waiting?.resume(returning: .end)
        adjustSubscription()
    }

    private func start() {
        let isFirst = state.withLock { state in
            guard !state.isStarted, !state.isFinished else { return false }
            state.isStarted = true
            state.mailbox.empty(isOpen: true)
            return true
        }
        guard isFirst else { return }
        device.playback?.consumers.enter()
        adjustSubscription()
    }

    // MARK: The source's side

    private func adjustSubscription() {
        let former = subscription.withLock { subscription -> Subscription? in
            let isWanted = state.withLock { $0.isStarted && !$0.isFinished }
            guard isWanted, subscription == nil else {
                defer { if !isWanted { subscription = nil } }
                return isWanted ? nil : subscription
            }
            let request = MotionRequest(
                kind: .accelerometer, interval: Device.accelerometerBatchInterval, latency: SecondOfReadings.length)
            subscription = device.motionSource.subscribe(request) { event in self.receive(event) }
            return nil
        }
        former?.cancel()
    }

    private func receive(_ event: MotionEvent) {
        let handOver = state.withLock { state -> (CheckedContinuation<Element, Never>, Element)? in
            guard !state.isFinished else { return nil }
            switch event {
            case .samples(let batch): state.shaper.take(batch, into: &state.mailbox)
            case .lost(let error): state.mailbox.add(error)
            case .regained: return nil
            }
            guard let waiting = state.waiting, let element = takeElement(&state) else { return nil }
            state.waiting = nil
            return (waiting, element)
        }
        if let (waiting, element) = handOver { waiting.resume(returning: element) }
    }

    /// The next element for the program, which works on it from now on.
    private func takeElement(_ state: inout State) -> Element? {
        guard let item = state.mailbox.takeFirst() else { return nil }
        state.isBusy = true
        device.playback?.consumers.begin()
        switch item {
        case .value(let readings): return .readings(readings)
        case .failure(let error): return .failure(error)
        }
    }
}
