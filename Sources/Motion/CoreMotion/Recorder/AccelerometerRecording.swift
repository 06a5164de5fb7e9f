// SPDX-License-Identifier: Apache-2.0

import AppDelivery
import DeviceCore
import Foundation
import Synchronization

/// A device's accelerometer recording, shared by all of its recorders. The recording is kept in memory, and occupies
/// 35 MB at its maximum duration of twelve hours.
final class AccelerometerRecording: Sendable {
    /// In hertz.
    static let rate = 50.0
    /// The maximum duration, in seconds, of a recording request and of the stored recording.
    static let maximumDuration = 12.0 * 3600
    /// The maximum time that the kernel may buffer readings, in seconds.
    static let latency = 1.0
    /// The time, in seconds, to wait for readings in the kernel's buffer after a recording ends.
    static let gracePeriod = 1.5 * latency
    /// The maximum number of stored readings. If there are more, the oldest chunk is dropped.
    static let maximumCount = Int(maximumDuration * rate)

    private struct State {
        var chunks: [RecordingChunk] = []
        var count = 0
        var nextIdentifier: UInt64 = 1
        var end = BootTime.zero
        var timer: ClockTimer?

        mutating func add(_ value: SIMD3<Double>, at time: BootTime, wall: WallTime) {
            var isAdded = false
            if let last = chunks.indices.last { isAdded = chunks[last].add(value, at: time, wall: wall) }
            if !isAdded {
                var chunk = RecordingChunk(firstIdentifier: nextIdentifier, start: time, wallStart: wall)
                guard chunk.add(value, at: time, wall: wall) else { return }
                chunks.append(chunk)
            }
            nextIdentifier &+= 1
            count += 1
            while count > AccelerometerRecording.maximumCount, chunks.count > 1 { count -= chunks.removeFirst().count }
        }
    }

    // The device owns this object, so storing the device itself would create a reference cycle.
    private let clock: any DeviceClock
    private let motionSource: any MotionSource
    private let state = Mutex(State())
    private let subscription = RequestSubscription<MotionRequest>()

    init(device: Device) {
        clock = device.clock
        motionSource = device.motionSource
    }

    static func of(_ device: Device) -> AccelerometerRecording {
        device.component(AccelerometerRecording.self) { AccelerometerRecording(device: $0) }
    }

    /// Records for the given number of seconds, starting now. If an earlier request ends later, the recording continues
    /// until then.
    func record(seconds: Double) {
        guard seconds > 0, motionSource.sensors.contains(where: { $0.kind == .accelerometer }) else { return }
        let end = clock.now.advanced(bySeconds: min(seconds, Self.maximumDuration))
        let isNew = state.withLock { state in
            guard end > state.end else { return false }
            state.end = end
            return true
        }
        guard isNew else { return }
        let timer = clock.timer(at: end.advanced(bySeconds: Self.gracePeriod)) { [weak self] in
            self?.updateSubscription()
        }
        let former = state.withLock { state in
            // If another thread has extended the recording in the meantime, this timer is no longer needed.
            state.end == end ? exchange(&state.timer, with: timer) : nil
        }
        former?.cancel()
        updateSubscription()
    }

    private func updateSubscription() {
        subscription.update {
            clock.now < state.withLock(\.end).advanced(bySeconds: Self.gracePeriod)
                ? MotionRequest(kind: .accelerometer, interval: 1 / Self.rate, latency: Self.latency) : nil
        } subscribe: { request in
            motionSource.subscribe(request) { [weak self] event in self?.receive(event) }
        }
    }

    /// Returns the readings between two wall-clock times, inclusive.
    func readings(from start: WallTime, to end: WallTime) -> [(chunk: RecordingChunk, indices: Range<Int>)] {
        let chunks = state.withLock { $0.chunks }
        return chunks.compactMap { chunk in
            let indices = chunk.indices(from: start, to: end)
            return indices.isEmpty ? nil : (chunk, indices)
        }
    }

    func receive(_ event: MotionEvent) {
        guard case .samples(let batch) = event else { return }
        // The wall-clock time of system boot, used to convert the readings' times to wall-clock times.
        let boot = clock.wallTime.nanoseconds.subtractingSaturated(clock.now.nanoseconds)
        state.withLock { state in
            for index in 0..<batch.count where batch.times[index] <= state.end {
                let wall = WallTime(nanoseconds: boot.addingSaturated(batch.times[index].nanoseconds))
                state.add(batch.values[index], at: batch.times[index], wall: wall)
            }
        }
    }
}

/// A part of a recording. Each reading takes 16 bytes.
struct RecordingChunk: Sendable {
    /// The maximum number of readings in a chunk. It is small, because adding a reading copies the entire chunk if a
    /// query is using it.
    static let maximumCount = 3000
    /// The maximum time between the first and last readings in a chunk, in seconds.
    static let maximumDuration = 600.0

    let firstIdentifier: UInt64
    let start: BootTime
    let wallStart: WallTime
    /// The time of each reading relative to the first reading, in microseconds, in ascending order.
    private(set) var offsets: [UInt32] = []
    /// The x, y and z values of each reading, in m/s².
    private var values: [Float] = []

    init(firstIdentifier: UInt64, start: BootTime, wallStart: WallTime) {
        (self.firstIdentifier, self.start, self.wallStart) = (firstIdentifier, start, wallStart)
    }

    var count: Int { offsets.count }

    /// Adds a reading. Returns false if a new chunk is needed because the chunk is full, the reading is out of order or
    /// too late for the chunk, or the wall clock has been set since the chunk began.
    mutating func add(_ value: SIMD3<Double>, at time: BootTime, wall: WallTime) -> Bool {
        let seconds = time.seconds(since: start)
        guard count < Self.maximumCount, seconds >= 0, seconds < Self.maximumDuration,
            abs(wall.seconds(since: wallStart) - seconds) < 0.1,
            let offset = UInt32(exactly: (seconds * 1e6).rounded()), offset >= offsets.last ?? 0
        else { return false }
        offsets.append(offset)
        values.append(Float(value.x))
        values.append(Float(value.y))
        values.append(Float(value.z))
        return true
    }

    func reading(at index: Int) -> ConvertedReading {
        let value = SIMD3(Double(values[3 * index]), Double(values[3 * index + 1]), Double(values[3 * index + 2]))
        return ConvertedReading(value: value, time: start.advanced(bySeconds: Double(offsets[index]) / 1e6))
    }

    func wallTime(at index: Int) -> WallTime { wallStart.advanced(bySeconds: Double(offsets[index]) / 1e6) }

    /// Returns the indices of the readings between two wall-clock times, inclusive.
    func indices(from start: WallTime, to end: WallTime) -> Range<Int> {
        guard count > 0, wallStart <= end, wallTime(at: count - 1) >= start else { return 0..<0 }
        let lower = offsets.indices.first { wallTime(at: $0) >= start } ?? count
        let upper = offsets.indices.last { wallTime(at: $0) <= end }.map { $0 + 1 } ?? 0
        return lower..<max(lower, upper)
    }
}
