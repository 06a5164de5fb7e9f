// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import Synchronization

/// The accelerometer recording of a device, shared by all its recorders.
///
/// The recording is kept in memory. Each reading takes 16 bytes, and the maximum of twelve hours takes 35 MB.
final class AccelerometerRecording: Sendable {
    /// The recording rate, in hertz.
    static let rate = 50.0
    /// The maximum duration of a request, and of the readings that are kept, in seconds.
    static let maximumDuration = 12.0 * 3600
    /// The maximum time for which the kernel may buffer readings, in seconds.
    static let latency = 1.0
    /// The time after the end of the recording during which earlier readings may still arrive, in seconds.
    static let gracePeriod = 1.5 * latency
    /// The maximum number of readings that are kept. If there are more, the oldest piece is dropped.
    static let maximumCount = Int(maximumDuration * rate)

    private struct State {
        var pieces: [RecordingChunk] = []
        var count = 0
        var nextIdentifier: UInt64 = 1
        var end = BootTime.zero
        var timer: ClockTimer?
        var subscription: Subscription?

        mutating func add(_ value: SIMD3<Double>, at time: BootTime, wall: WallTime) {
            var isAdded = false
            if let last = pieces.indices.last { isAdded = pieces[last].add(value, at: time, wall: wall) }
            if !isAdded {
                var piece = RecordingChunk(firstIdentifier: nextIdentifier, start: time, wallStart: wall)
                guard piece.add(value, at: time, wall: wall) else { return }
                pieces.append(piece)
            }
            nextIdentifier &+= 1
            count += 1
            while count > AccelerometerRecording.maximumCount, pieces.count > 1 { count -= pieces.removeFirst().count }
        }
    }

    private let device: Device
    private let state = Mutex(State())

    init(device: Device) { self.device = device }

    static func of(_ device: Device) -> AccelerometerRecording {
        device.component(AccelerometerRecording.self) { AccelerometerRecording(device: $0) }
    }

    /// Records for a number of seconds from now, or until the end of an earlier request if that is later.
    func record(seconds: Double) {
        guard seconds > 0, device.has(.accelerometer) else { return }
        let end = device.clock.now.advanced(bySeconds: min(seconds, Self.maximumDuration))
        let isNew = state.withLock { state in
            guard end > state.end else { return false }
            state.end = end
            return true
        }
        guard isNew else { return }
        let timer = device.clock.timer(at: end.advanced(bySeconds: Self.gracePeriod)) { [weak self] in self?.finish() }
        let former = state.withLock { state in
            // Another thread may have extended the recording in the meantime.
            guard state.end == end else { return timer }
            defer { state.timer = timer }
            return state.timer ?? timer
        }
        if former !== timer { former.cancel() }
        guard state.withLock({ $0.subscription == nil }) else { return }
        let request = MotionRequest(kind: .accelerometer, interval: 1 / Self.rate, latency: Self.latency)
        let new = device.motionSource.subscribe(request) { [weak self] event in self?.receive(event) }
        let redundantSubscription = state.withLock { state -> Subscription? in
            guard state.subscription == nil else { return new }
            state.subscription = new
            return nil
        }
        redundantSubscription?.cancel()
    }

    /// Returns the readings between two wall-clock times, both inclusive.
    func readings(from start: WallTime, to end: WallTime) -> [(piece: RecordingChunk, indices: Range<Int>)] {
        let pieces = state.withLock { $0.pieces }
        return pieces.compactMap { piece in
            let indices = piece.indices(from: start, to: end)
            return indices.isEmpty ? nil : (piece, indices)
        }
    }

    func receive(_ event: MotionEvent) {
        guard case .samples(let batch) = event else { return }
        // The wall-clock time of boot. With it, buffered readings receive the time of their measurement.
        let boot = device.clock.wallTime.nanoseconds.subtractingSaturated(device.clock.now.nanoseconds)
        state.withLock { state in
            for index in 0..<batch.count where batch.times[index] <= state.end {
                let wall = WallTime(nanoseconds: boot.addingSaturated(batch.times[index].nanoseconds))
                state.add(batch.values[index], at: batch.times[index], wall: wall)
            }
        }
    }

    /// Stops recording unless the recording has been extended.
    private func finish() {
        let now = device.clock.now
        let former = state.withLock { state -> Subscription? in
            guard now >= state.end.advanced(bySeconds: Self.gracePeriod) else { return nil }
            return state.subscription.take()
        }
        former?.cancel()
    }
}
