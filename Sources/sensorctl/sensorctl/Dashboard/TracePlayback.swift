// SPDX-License-Identifier: Apache-2.0

import Dashboard
import DeviceCore
import JSONBytes
import SimulatedDevice
import Trace
import TraceEditing

/// Plays a trace as a page asks for it: on, to another place, step by step, faster and slower, again and again.
@MainActor
final class TracePlayback {
    /// Between two looks at the clock. A channel has no more frames than that anyway.
    private static let interval = Duration.milliseconds(30)
    /// What is played of the minute before another place before others on the main thread get their turn, in seconds.
    private static let portion = 1.0

    let simulated: SimulatedDevice
    let faults: HandFaults
    /// Seconds of the trace.
    let duration: Double
    private let clock: SessionClock
    private let feed: DashboardFeed
    /// Called when what was told belongs to another place.
    private let forget: @MainActor () async -> Void
    private var isPlaying = true
    private var speed: Double
    private var loops: Bool
    /// Where it is on the way to; nil when it is there.
    private var target: Double?
    /// True when that is another place than the one that is being gone to.
    private var isDiverted = false
    private var goes: Task<Void, Never>?
    private var nextNews = ContinuousClock.now

    init(
        _ simulated: SimulatedDevice, duration: Double, faults: HandFaults, clock: SessionClock, feed: DashboardFeed,
        speed: Double, loops: Bool, forget: @escaping @MainActor () async -> Void
    ) {
        (self.simulated, self.duration, self.faults, self.clock, self.feed) = (simulated, duration, faults, clock, feed)
        (self.speed, self.loops, self.forget) = (speed, loops, forget)
    }

    /// The last event's time, in seconds since the start.
    static func duration(of trace: TraceFile) -> Double {
        let device = SimulatedDevice(trace)
        let start = device.wallTime
        device.seek(to: 1e9)
        return device.wallTime.seconds(since: start)
    }

    /// Where it is, in seconds of the trace.
    private var place: Double { clock.now }

    /// To the microsecond: a place has been through a division.
    private var hasEnded: Bool { place > duration - 1e-6 }

    /// Plays until it is asked to stop.
    ///
    /// - Parameter isWatched: true while somebody looks. Before the first one does, nothing is played.
    func run(until stop: Stop, isWatched: () -> Bool) async {
        filter()
        tell()
        let real = ContinuousClock()
        var last = real.now
        var hasBegun = false
        while stop.reason == nil {
            try? await Task.sleep(for: Self.interval)
            let now = real.now
            // What a busy machine cannot play in time is played later, and not at once.
            let passed = min(now - last, .milliseconds(250))
            last = now
            guard isPlaying, goes == nil else { continue }
            hasBegun = hasBegun || isWatched()
            guard hasBegun else { continue }
            play(passed / .seconds(1) * speed)
            if now >= nextNews { tell() }
        }
        goes?.cancel()
        simulated.filter(by: nil)
    }

    private func play(_ seconds: Double) {
        let hasMore = pass(seconds)
        feed.set(now: place)
        guard !hasMore else { return }
        // Of a single moment each would be the end.
        if loops, duration > 0 { return go(to: 0) }
        isPlaying = false
        tell()
    }

    /// Lets so many seconds of the trace happen; false at its end.
    private func pass(_ seconds: Double) -> Bool {
        guard seconds < duration - place else {
            // With what managers hold back until more comes.
            simulated.play()
            return false
        }
        simulated.advance(by: seconds)
        return true
    }

    /// Does it; why not when that cannot be.
    func take(_ action: PageCommand.Action) -> String? {
        switch action {
        case .play:
            isPlaying = true
            if hasEnded, target == nil { go(to: 0) }
        case .pause: isPlaying = false
        case .step, .advance:
            guard goes == nil else { return "It is on the way to another place." }
            isPlaying = false
            step(action)
        case .seek(let place): go(to: min(place, duration))
        case .speed(let factor): speed = factor
        case .loop(let isOn): loops = isOn
        case .fault(let id, let isOn):
            if let why = faults.set(id, isOn: isOn) { return why }
            filter()
            // What a recording has attached is there again where the recording has it.
            if id == "unplug" {
                if isOn { unplug() } else { go(to: target ?? place) }
            }
        case .doctor, .addRegion, .removeRegion: return "That is nothing that a trace does."
        }
        tell()
        return nil
    }

    private func step(_ action: PageCommand.Action) {
        if case .advance(let seconds) = action, seconds > 0 { play(seconds) }
        guard case .step(let count) = action else { return }
        for _ in 0..<count where !simulated.step() {
            // The end, with what managers hold back until more comes.
            simulated.play()
            break
        }
        feed.set(now: place)
    }

    // MARK: Another place

    /// Goes there, by way of the minute before it, which pages get as what was.
    private func go(to place: Double) {
        (target, isDiverted) = (place, true)
        guard goes == nil else { return }
        goes = Task { @MainActor in
            while let place = target, !Task.isCancelled {
                isDiverted = false
                await recall(place)
                if !isDiverted { target = nil }
            }
            goes = nil
            tell()
        }
    }

    private func recall(_ place: Double) async {
        feed.beginRecall()
        faults.restart()
        filter()
        simulated.seek(to: max(0, place - DashboardFeed.historyLength))
        await forget()
        if faults.unplugs { unplug() }
        while self.place < place, !isDiverted, !Task.isCancelled {
            let former = self.place
            // A clock at the end of its range goes no further.
            guard pass(min(Self.portion, place - former)), self.place > former else { break }
            await Task.yield()
        }
        // Sooner or later the last one is through.
        guard !isDiverted else { return }
        feed.endRecall(at: self.place)
    }

    private func unplug() {
        for accessory in simulated.device.accessorySource.accessories { simulated.detach(accessory.id) }
    }

    private func filter() {
        let faults = faults
        simulated.filter(by: PlaybackFilter(takesSamples: faults.takesSamples) { faults.apply($0) })
    }

    // MARK: What is told

    private func tell() {
        nextNews = .now + .seconds(1)
        let (playing, now, speed, loops, active) = (isPlaying, place, speed, loops, faults.active)
        let ended = hasEnded
        feed.tell(
            DashboardMessage("playback", .state) { writer in
                writer.member("playing", playing)
                writer.member("t", now)
                writer.member("speed", speed)
                writer.member("loop", loops)
                writer.member("ended", ended)
                writer.array("active") { writer in
                    for id in active { writer.object { $0.member("id", id) } }
                }
            })
    }
}
