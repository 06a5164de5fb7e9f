// SPDX-License-Identifier: Apache-2.0

import Dashboard
import DeviceCore
import JSONBytes
import SensorTools
import SimulatedDevice
import Trace
import TraceEditing

/// Plays a trace. Pages have controls to pause, step, seek, loop and set the speed. The "playback" message must match
/// app.js.
@MainActor final class TracePlayback {
    /// The interval between playback steps, about as long as the interval between page updates.
    private static let interval = Duration.milliseconds(30)
    /// The history is replayed in chunks of this length, in seconds. Other work runs between chunks.
    private static let portion = 1.0

    let simulated: SimulatedDevice
    let faults: ManualFaultInjection
    let duration: Double
    private let clock: SessionClock
    private let feed: DashboardFeed
    private let onSeek: @MainActor () async -> Void
    private var isPlaying = true
    private var speed: Double
    private var loops: Bool
    /// The target position of the current seek, or nil if there is none.
    private var target: Double?
    /// True if ``target`` has changed since the current history replay began.
    private var hasNewTarget = false
    private var seekTask: Task<Void, Never>?
    private var nextStatePublication = ContinuousClock.now

    init(
        _ simulated: SimulatedDevice, duration: Double, faults: ManualFaultInjection, clock: SessionClock,
        feed: DashboardFeed, speed: Double, loops: Bool, onSeek: @escaping @MainActor () async -> Void
    ) {
        (self.simulated, self.duration, self.faults, self.clock, self.feed) = (simulated, duration, faults, clock, feed)
        (self.speed, self.loops, self.onSeek) = (speed, loops, onSeek)
    }

    /// Returns the time of the last event, in seconds since the start of the trace.
    static func duration(of trace: TraceFile) -> Double {
        let device = SimulatedDevice(trace)
        let start = device.wallTime
        device.seek(to: 1e9)
        return device.wallTime.seconds(since: start)
    }

    /// The playback position, in seconds since the start of the trace.
    private var position: Double { clock.now }

    /// True if playback has reached the end of the trace. The tolerance of 1 µs allows for rounding errors.
    private var hasEnded: Bool { position > duration - 1e-6 }

    /// Runs playback. The trace starts playing when `isWatched` first returns true.
    func run(until stop: StopRequest, isWatched: () -> Bool) async {
        filter()
        publishState()
        let real = ContinuousClock()
        var last = real.now
        var hasBegun = false
        while stop.reason == nil {
            try? await Task.sleep(for: Self.interval)
            let now = real.now
            // Limits the length of a step, so that playback on a busy machine falls behind instead of catching up all
            // at once.
            let passed = min(now - last, .milliseconds(250))
            last = now
            guard isPlaying, seekTask == nil else { continue }
            hasBegun = hasBegun || isWatched()
            guard hasBegun else { continue }
            play(passed.inSeconds * speed)
            if now >= nextStatePublication { publishState() }
        }
        seekTask?.cancel()
        simulated.filter(by: nil)
    }

    private func play(_ seconds: Double) {
        let hasMore = advance(by: seconds)
        feed.set(now: position)
        guard !hasMore else { return }
        // A trace of zero duration cannot loop.
        if loops, duration > 0 { return seek(to: 0) }
        isPlaying = false
        publishState()
    }

    /// Advances playback by a duration in seconds. Returns false at the end of the trace.
    private func advance(by seconds: Double) -> Bool {
        guard seconds < duration - position else {
            // The managers hold back some events until later ones arrive. Playing to the end delivers them too.
            try? simulated.play()
            return false
        }
        simulated.advance(by: seconds)
        return true
    }

    /// Executes a command. Returns an error message, or nil on success.
    func execute(_ action: PageCommand.Action) -> String? {
        switch action {
        case .play:
            isPlaying = true
            if hasEnded, target == nil { seek(to: 0) }
        case .pause: isPlaying = false
        case .step, .advance:
            guard seekTask == nil else { return "A seek is in progress." }
            isPlaying = false
            step(action)
        case .seek(let newPosition): seek(to: min(newPosition, duration))
        case .speed(let factor): speed = factor
        case .loop(let isOn): loops = isOn
        case .fault(let id, let isOn):
            let wasOn = faults.active.contains(id)
            if let why = faults.set(id, isOn: isOn) { return why }
            if isOn != wasOn, let label = faults.all.first(where: { $0.id == id })?.label {
                feed.log("note", at: position, "Fault switched \(isOn ? "on" : "off") by hand: \(label)")
            }
            filter()
            // Turning the fault off does not reattach the accessories, but a seek to the current position does.
            if id == "unplug" {
                if isOn { detachAccessories() } else { seek(to: target ?? position) }
            }
        case .doctor, .addRegion, .removeRegion: return "This command is not available for a recording."
        }
        publishState()
        return nil
    }

    private func step(_ action: PageCommand.Action) {
        if case .advance(let seconds) = action, seconds > 0 { play(seconds) }
        guard case .step(let count) = action else { return }
        for _ in 0..<count where !simulated.step() {
            // The managers hold back some events until later ones arrive. Playing to the end delivers them too.
            try? simulated.play()
            break
        }
        feed.set(now: position)
    }

    /// Seeks to a position. Replays the preceding minute so that pages can show it as history.
    private func seek(to newPosition: Double) {
        (target, hasNewTarget) = (newPosition, true)
        guard seekTask == nil else { return }
        seekTask = Task { @MainActor in
            while let newPosition = target, !Task.isCancelled {
                hasNewTarget = false
                await replayHistory(before: newPosition)
                if !hasNewTarget { target = nil }
            }
            seekTask = nil
            publishState()
        }
    }

    private func replayHistory(before newPosition: Double) async {
        feed.beginHistoryReplay()
        faults.restart()
        filter()
        simulated.seek(to: max(0, newPosition - DashboardFeed.historyLength))
        await onSeek()
        if faults.detachesAccessories { detachAccessories() }
        while self.position < newPosition, !hasNewTarget, !Task.isCancelled {
            let former = self.position
            // Ends the loop if the position no longer increases because the clock has reached its maximum.
            guard advance(by: min(Self.portion, newPosition - former)), self.position > former else { break }
            await Task.yield()
        }
        // If the user has selected another position in the meantime, the caller replays that position's history
        // instead.
        guard !hasNewTarget else { return }
        feed.endHistoryReplay(at: self.position)
    }

    private func detachAccessories() {
        for accessory in simulated.device.accessorySource.accessories { simulated.detach(accessory.id) }
    }

    private func filter() {
        let faults = faults
        simulated.filter(by: PlaybackFilter(includesSamples: faults.requiresSamples) { faults.apply($0) })
    }

    private func publishState() {
        nextStatePublication = .now + .seconds(1)
        let (playing, now, speed, loops, ended) = (isPlaying, position, speed, loops, hasEnded)
        let active = faults.active
        feed.publish(
            DashboardMessage("playback", .state) { writer in
                writer.members(["playing": playing, "t": now, "speed": speed, "loop": loops, "ended": ended])
                writer.objects("active", active) { ["id": $0] }
            })
    }
}
