// SPDX-License-Identifier: Apache-2.0

// Imports both modules, because the compiler may attribute timespec to either.
import CoreFoundation
import DeviceCore
import Synchronization
import SystemCalls

/// Simulates the driver of a mocked sensor. While the buffer is enabled, it writes samples at the configured rate, with
/// timestamps of the configured clock.
final class MockFeeder: Sendable {
    /// The properties of the samples.
    struct Samples: Sendable {
        /// The actual rate divided by the configured rate.
        var pace = 1.0
        /// The age of a sample when it is written, in nanoseconds.
        var age: Int64 = 2_000_000
        /// Returns the raw values of a sample.
        var raw: @Sendable (Int) -> SIMD3<Int16> = { MockFeeder.numbered($0) }
    }

    /// The settings at the start of a capture.
    struct Capture: Sendable, Equatable {
        var clock: String
        var rate: Double
        /// The enabled channels: x, y, z, timestamp.
        var channels: [Bool]
    }

    struct Failure: Error {}

    private struct State {
        var isPaused = false
        var isEnded = false
        var stamps: [Int64] = []
        var folder: String
    }

    /// One element for each capture that began.
    let captures = Journal<Capture>()
    private let state: Mutex<State>
    private let samples: Samples
    private let node: Int32
    private let enable: Int32

    /// A sample whose first value distinguishes it from 20,000 others.
    static func numbered(_ number: Int) -> SIMD3<Int16> { [Int16(number % 20_000), 16_384, Int16(-(number % 300))] }

    init(node path: String, folder: String, samples: Samples) throws {
        self.samples = samples
        state = Mutex(State(folder: folder))
        node = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
        enable = open("\(folder)/buffer/enable", O_RDONLY | O_CLOEXEC)
        guard node >= 0, enable >= 0 else {
            close(node)
            close(enable)
            throw Failure()
        }
        try WorkerThread.start { [self] in
            run()
            close(node)
            close(enable)
        }
    }

    /// The timestamps of the samples so far, by their number.
    var stamps: [Int64] { state.withLock { $0.stamps } }

    /// Stops the samples, as with a broken interrupt line.
    func pause() { state.withLock { $0.isPaused = true } }

    /// Resumes the samples.
    func resume() { state.withLock { $0.isPaused = false } }

    /// Sets the new folder of the device.
    func move(to folder: String) { state.withLock { $0.folder = folder } }

    func end() { state.withLock { $0.isEnded = true } }

    private func run() {
        var running: (next: Int64, step: Int64, offset: Int64)?
        while !state.withLock({ $0.isEnded }) {
            guard isEnabled, !state.withLock({ $0.isPaused }) else {
                running = nil
                // Polls the file, because it sends no events.
                WorkerThread.sleep(seconds: 0.001)
                continue
            }
            let now = MockFeeder.time("monotonic")
            guard var current = running else {
                drain()
                let capture = setting()
                captures.append(capture)
                let step = Int64(1e9 / (capture.rate * samples.pace))
                running = (now + step, step, MockFeeder.offset(of: capture.clock, from: "monotonic"))
                continue
            }
            guard now >= current.next else {
                WorkerThread.sleep(seconds: min(0.005, Double(current.next - now) * 1e-9))
                continue
            }
            // A sensor measures at equal intervals, however late the machine is.
            write(stamp: current.next + current.offset - samples.age)
            current.next += current.step
            running = current
        }
    }

    private var isEnabled: Bool {
        var byte: UInt8 = 0
        return pread(enable, &byte, 1, 0) == 1 && byte == UInt8(ascii: "1")
    }

    private func setting() -> Capture {
        Capture(
            clock: text("current_timestamp_clock"),
            rate: rate,
            channels: ["accel_x", "accel_y", "accel_z", "timestamp"].map { text("scan_elements/in_\($0)_en") == "1" })
    }

    /// The rate of the channel type precedes that of the device.
    private var rate: Double {
        let rates = ["in_accel_sampling_frequency", "sampling_frequency"].compactMap { Double(text($0)) }
        return rates.first { $0 > 0 } ?? 100
    }

    private func text(_ name: String) -> String {
        guard let file = fopen("\(state.withLock { $0.folder })/\(name)", "r") else { return "" }
        defer { fclose(file) }
        var buffer = [UInt8](repeating: 0, count: 128)
        let count = fread(&buffer, 1, buffer.count, file)
        return String(decoding: buffer[..<count].prefix { $0 != 0 && $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    }

    private func write(stamp: Int64) {
        let raw = samples.raw(stamps.count)
        var scan: [UInt8] = []
        for axis in 0..<3 { withUnsafeBytes(of: raw[axis].bigEndian) { scan.append(contentsOf: $0) } }
        scan += [0, 0]
        withUnsafeBytes(of: stamp.littleEndian) { scan.append(contentsOf: $0) }
        // Counted even if the FIFO is full. In that case a driver drops the newest sample.
        state.withLock { $0.stamps.append(stamp) }
        _ = Glibc.write(node, scan, scan.count)
    }

    /// Empties the FIFO, because a buffer is empty when it is enabled.
    private func drain() {
        var bytes = [UInt8](repeating: 0, count: 65_536)
        while read(node, &bytes, bytes.count) > 0 {}
    }

    /// Returns the time by which one clock is ahead of another, in nanoseconds. Uses the best of several attempts,
    /// because each may be interrupted.
    static func offset(of clock: String, from other: String) -> Int64 {
        let attempts = (0..<20).map { _ in
            let before = time(other)
            let here = time(clock)
            let after = time(other)
            return (width: after - before, offset: here - (before + (after - before) / 2))
        }
        return attempts.min { $0.width < $1.width }?.offset ?? 0
    }

    /// Returns the time of a clock in nanoseconds.
    static func time(_ clock: String) -> Int64 {
        let identifier =
            switch clock {
            case "monotonic": CLOCK_MONOTONIC
            case "boottime": CLOCK_BOOTTIME
            default: CLOCK_REALTIME
            }
        var time = timespec()
        clock_gettime(identifier, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
