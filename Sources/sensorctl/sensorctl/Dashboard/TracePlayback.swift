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
    /// Where to go; nil when that is done.
    private var target: Double?
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
        let rest = duration - place
        if seconds < rest {
            simulated.advance(by: seconds)
        } else {
            // With what managers hold back until more comes.
            simulated.play()
        }
        feed.set(now: place)
        guard seconds >= rest else { return }
        if loops { return go(to: 0) }
        isPlaying = false
        tell()
    }

    /// Does it; why not when that cannot be.
    func take(_ action: PageCommand.Action) -> String? {
        switch action {
        case .play:
            isPlaying = true
            if hasEnded { go(to: 0) }
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
                if isOn { unplug() } else { go(to: place) }
            }
        case .doctor, .addRegion, .removeRegion: return "That is nothing that a trace does."
        }
        tell()
        return nil
    }

    private func step(_ action: PageCommand.Action) {
        if case .advance(let seconds) = action, seconds > 0 { play(seconds) }
        guard case .step(let count) = action else { return }
        for _ in 0..<count where !hasEnded { simulated.step() }
        feed.set(now: place)
    }

    // MARK: Another place

    /// Goes there, by way of the minute before it, which pages get as what was.
    private func go(to place: Double) {
        target = place
        guard goes == nil else { return }
        goes = Task { @MainActor in
            while let place = target, !Task.isCancelled {
                target = nil
                await recall(place)
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
        clock.follow()
        await forget()
        if faults.unplugs { unplug() }
        while self.place < place, target == nil, !Task.isCancelled {
            advance(by: min(Self.portion, place - self.place))
            await Task.yield()
        }
        // Sooner or later the last one is through.
        guard target == nil else { return }
        feed.endRecall(at: self.place)
    }

    private func advance(by seconds: Double) { simulated.advance(by: max(seconds, 1e-9)) }

    private func unplug() {
        for accessory in simulated.device.accessorySource.accessories { simulated.detach(accessory.id) }
    }

    private func filter() {
        let faults = faults
        simulated.filter(by: PlaybackFilter(takesSamples: !faults.active.isEmpty) { faults.apply($0) })
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
