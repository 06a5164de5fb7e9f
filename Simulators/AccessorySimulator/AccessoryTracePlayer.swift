// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import LoopbackServer
import Synchronization
import SystemCalls
import Trace

/// Attaches and detaches the accessories of a trace at their recorded times. A player is started only once.
final class AccessoryTracePlayer: Sendable {
    private struct State {
        var isStopped = false
        var isDone = false
        var startWaiter: SharedStartWaiter?
    }

    private let accessories: [AccessoryTimeline.Accessory]
    private let steps: [AccessoryTimeline.Step]
    private let options: AccessorySimulatorOptions
    private let differenceList: DifferenceList
    private let state = Mutex(State())
    /// Signaled when the player is stopped, and whenever a dialogue progresses.
    private let semaphore = BinarySemaphore()
    private let done = BinarySemaphore()

    init(_ timeline: AccessoryTimeline, options: AccessorySimulatorOptions, differenceList: DifferenceList) {
        (accessories, steps) = (timeline.accessories, timeline.steps)
        self.options = options
        self.differenceList = differenceList
    }

    var hasPlayed: Bool { state.withLock { $0.isDone } }

    func wait(seconds: Double) -> Bool {
        if hasPlayed { return true }
        done.wait(seconds: seconds)
        // A signal wakes only one thread, so this thread signals the next one.
        if hasPlayed { done.signal() }
        return hasPlayed
    }

    /// Starts a thread that plays the trace. With a shared start, playback begins at the shared time. If this time has
    /// not been set when a program opens the announcement directory, it is set to that moment.
    func start(_ simulator: AccessorySimulator, folder: String) throws(DeviceError) {
        let startWaiter = try options.sharedStart.map { common throws(DeviceError) in
            try SharedStartWaiter(common, folder: folder)
        }
        state.withLock { $0.startWaiter = startWaiter }
        // The thread does not retain the simulator, because releasing the simulator stops it.
        try WorkerThread.start { [weak simulator] in
            var start = startWaiter?.wait { self.isStopped }
            repeat {
                self.play(from: start) { simulator }
                start = start?.advanced(bySeconds: Double(self.options.passDuration) / 1e9 / self.speed)
            } while self.options.repeats && !self.isStopped
            self.state.withLock { $0.isDone = !$0.isStopped }
            self.done.signal()
        }
    }

    func stop() {
        let startWaiter = state.withLock { state in
            state.isStopped = true
            return state.startWaiter
        }
        startWaiter?.cancel()
        semaphore.signal()
        done.signal()
    }

    private var isStopped: Bool { state.withLock { $0.isStopped } }
    private var speed: Double { options.speed.isFinite && options.speed > 0 ? options.speed : 1 }

    /// Plays the trace once. If a dialogue takes longer than in the recording, waits for it to finish. Without a shared
    /// start, the wait delays all later events.
    private func play(from common: BootTime?, _ simulator: () -> AccessorySimulator?) {
        let clock = LiveClock()
        var start = common ?? clock.now
        var attached: [Int: (id: AccessorySimulator.ID, sequences: [DialogueSequence])] = [:]
        for step in steps {
            let due = start.advanced(bySeconds: Double(step.time) / 1e9 / speed)
            guard pause(until: due, clock) else { return }
            if step.isAttach {
                let sequences = dialogueSequences(of: accessories[step.index])
                guard let simulator = simulator() else { return }
                do throws(DeviceError) {
                    let description = accessories[step.index].description
                    let endpoints = zip(description.protocols, sequences).map {
                        SimulatedAccessory.Endpoint(name: $0.name, peer: DialoguePeer($1))
                    }
                    let id = try simulator.attach(SimulatedAccessory(description, endpoints: endpoints))
                    attached[step.index] = (id, sequences)
                } catch {
                    differenceList.add("\(accessories[step.index].description.name): \(error)")
                }
            } else if let entry = attached.removeValue(forKey: step.index) {
                let before = clock.now
                finish(entry.sequences, clock)
                simulator()?.detach(entry.id, .afterReading)
                // All later events are delayed by the time spent waiting, so the intervals between them stay the same.
                if common == nil { start = start.advanced(bySeconds: clock.now.seconds(since: before)) }
            }
        }
        finish(attached.values.flatMap(\.sequences), clock)
        if let common, options.repeats {
            let end = common.advanced(bySeconds: Double(options.passDuration) / 1e9 / speed)
            _ = pause(until: end, clock)
        }
        if options.repeats { for entry in attached.values { simulator()?.detach(entry.id, .afterReading) } }
    }

    private func pause(until deadline: BootTime, _ clock: LiveClock) -> Bool {
        while !isStopped, clock.now < deadline { semaphore.wait(until: deadline, clock: clock) }
        return !isStopped
    }

    /// Waits until the dialogues have ended, or until programs have been inactive for `dialogueTimeout`.
    private func finish(_ sequences: [DialogueSequence], _ clock: LiveClock) {
        var lastActivityCount = -1
        var deadline = BootTime.zero
        while !isStopped, !sequences.allSatisfy(\.isFinished) {
            let activityCount = sequences.reduce(0) { $0 + $1.activityCount }
            if activityCount != lastActivityCount {
                lastActivityCount = activityCount
                deadline = clock.now.advanced(bySeconds: options.dialogueTimeout.inSeconds)
            }
            if clock.now >= deadline { break }
            semaphore.wait(until: deadline, clock: clock)
        }
        if !isStopped { for sequence in sequences { sequence.reportMissing() } }
    }

    private func dialogueSequences(of accessory: AccessoryTimeline.Accessory) -> [DialogueSequence] {
        accessory.description.protocols.map {
            DialogueSequence(
                name: "\(accessory.description.name), \($0.name)", dialogues: accessory.dialogues[$0.name] ?? [],
                differenceList: differenceList, progressed: semaphore)
        }
    }
}

/// Waits for the shared start of playback. Playback normally starts when a program first uses one of the servers. A
/// program that only watches accessories does not connect to a server until an accessory is attached, so playback also
/// starts when a program opens the announcement directory.
final class SharedStartWaiter: Sendable {
    private let common: SharedPlaybackStart
    private let openings = OpenWatcher()
    private let wakeUp: WakeupPipe
    /// False if inotify is not available. Playback then starts immediately.
    private let isWatched: Bool

    init(_ common: SharedPlaybackStart, folder: String) throws(DeviceError) {
        self.common = common
        let wakeUp = try WakeupPipe(for: "the simulated accessories")
        self.wakeUp = wakeUp
        isWatched = openings.add(folder)
        common.onStart { wakeUp.signal() }
    }

    /// Returns the time at which playback starts, or nil if `isGivenUp` returns true before this time is set.
    func wait(_ isGivenUp: () -> Bool) -> BootTime? {
        let clock = LiveClock()
        while !isGivenUp() {
            if let time = common.time { return time }
            if !isWatched || wakeUp.wait(for: openings.descriptor, until: .never, clock: clock) {
                return common.startIfNeeded(at: clock.now)
            }
        }
        return nil
    }

    func cancel() { wakeUp.signal() }
}
