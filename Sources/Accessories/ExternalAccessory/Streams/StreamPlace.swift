// SPDX-License-Identifier: Apache-2.0

import AppDelivery
import DeviceCore
import Dispatch
import Foundation
import Synchronization
import SystemCalls

/// A place in which streams of one session tell their events: a run loop in a mode, or a queue.
///
/// Both streams of a session share it, so that one wake-up serves them.
final class StreamPlace: Sendable {
    /// What a program names when it schedules a stream.
    enum Key: Hashable {
        case loop(ObjectIdentifier, mode: String)
        case queue
    }

    let key: Key
    private let isOfMainLoop: Bool
    private let mode: RunLoop.Mode
    private let delivery: any Delivery
    /// The same as `delivery`, where that is a run loop and nothing lies between.
    private let source: RunLoopSource?
    private let isSignalled = Atomic<Bool>(false)
    private let depth = Atomic<Int>(0)
    /// The thread on which callbacks have run, which is the same one for a run loop.
    private let runner = Atomic<UInt>(0)
    private let session: Mutex<SessionCore.Weak>

    /// A run loop in a mode; while a trace is played, the player's lane for it.
    init(loop: RunLoop, mode: RunLoop.Mode, session: SessionCore, device: Device) {
        key = Self.key(of: loop, mode)
        isOfMainLoop = loop === RunLoop.main
        self.mode = mode
        self.session = Mutex(SessionCore.Weak(core: session))
        if let playback = device.playback, !playback.deliversAsLive {
            delivery = playback.delivery(onMainThread: isOfMainLoop)
            source = nil
        } else {
            let source = RunLoopSource(loop: loop, mode: mode)
            self.source = source
            delivery = device.playback?.tracked(source) ?? source
        }
    }

    /// A dispatch queue; while a trace is played, the player's lane for it.
    init(queue: DispatchQueue, session: SessionCore, device: Device) {
        key = .queue
        isOfMainLoop = false
        mode = .default
        self.session = Mutex(SessionCore.Weak(core: session))
        source = nil
        delivery = AppDelivery.on(queue, device: device)
    }

    /// The place, for a channel that it can read from; nil for one that cannot.
    var direct: DirectPlace? { DirectPlace(delivery) }

    static func key(of loop: RunLoop, _ mode: RunLoop.Mode) -> Key {
        .loop(ObjectIdentifier(loop), mode: mode.rawValue)
    }

    /// Has the streams of this place looked after soon, once for any number of calls.
    func signal() {
        guard !isSignalled.exchange(true, ordering: .acquiringAndReleasing) else { return }
        if let source, delivery === source {
            // The loop comes round by itself after this place's turn; were it woken, it would once more for nothing.
            source.schedule({ self.run() }, wakes: !isRunningHere)
        } else {
            delivery.schedule { self.run() }
        }
    }

    /// True inside of a callback of this place; never for a place that is no run loop.
    var isRunningHere: Bool {
        // Not by asking for the current run loop: a thread without one would get one, with its descriptors.
        guard source != nil, depth.load(ordering: .acquiring) > 0 else { return false }
        return runner.load(ordering: .relaxed) == currentThread()
    }

    /// Looks after the streams now if the main run loop, whose thread this is, would in the mode that it runs in.
    func runIfOfMainThread() {
        guard isOfMainLoop else { return }
        guard let source else {
            // The player's lane: this is called from there.
            run(all: true)
            return
        }
        let isServed = source.isServed { current in
            current == mode || (mode == .common && current == .default)
        }
        if isServed { run(all: true) }
    }

    func invalidate() {
        source?.invalidate()
    }

    private func run(all: Bool = false) {
        isSignalled.store(false, ordering: .releasing)
        guard let session = session.withLock({ $0.core }) else { return }
        runner.store(currentThread(), ordering: .relaxed)
        depth.wrappingAdd(1, ordering: .acquiringAndReleasing)
        session.deliver(at: self, all: all)
        depth.wrappingSubtract(1, ordering: .acquiringAndReleasing)
    }
}
