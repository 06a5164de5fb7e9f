// SPDX-License-Identifier: Apache-2.0

import BlackBox
import DeviceCore
import Dispatch
import SensorTools
import Synchronization
import SystemCalls
import Trace

/// The black box of a recording: its ring, what it listens for, and SIGUSR1.
final class BlackBoxSession: Sendable {
    /// What the recorder writes to.
    let writer: TraceWriter
    private let ring: TraceRing
    private let box: BlackBox
    private let triggers: [RecordingTrigger]
    private let listener: TriggerListener
    private let failure: SaveFailure
    private let signal: SignalRelay
    private let events: RecordingEvents
    private let queue = DispatchQueue(label: "sensorctl.black-box-signal")

    /// Takes the ring's place, where a former ring is set aside.
    init(
        _ place: RingPlace, _ plan: BlackBoxPlan, clock: any DeviceClock, events: RecordingEvents, stop: Stop
    ) throws(DeviceError) {
        // First of all: whoever sends it cannot know how far this is.
        signal = SignalRelay([SIGUSR1], keeping: 1)
        self.events = events
        let ring = try TraceRing(place, options: plan.ring, clock: clock)
        let failure = SaveFailure()
        writer = TraceWriter(ring, clock: clock)
        let box = BlackBox(ring: ring, writer: writer, options: plan.box, clock: clock) { event in
            switch event {
            case .triggered(let trigger, let seconds): events.triggered(trigger, seconds: seconds)
            case .saved(let save, let triggers): events.saved(save, triggers: triggers, isLeftover: false)
            case .empty(let trigger):
                events.warn("\(Printable.text(trigger.event)): nothing has been recorded yet, so nothing was saved.")
            case .failed(let error):
                failure.error.withLock { $0 = $0 ?? error }
                stop.request(.failed(error, .inputOutput))
            case .foundLeftover(let leftover): events.found(leftover)
            case .keptLeftover(let error): events.warn(error.description)
            }
        }
        listener = TriggerListener(plan.triggers, clock: clock) { box.trigger($0) }
        triggers = plan.triggers
        (self.ring, self.box, self.failure) = (ring, box, failure)
    }

    /// Begins to listen for events, when the recorder has written its header.
    func begin(_ device: Device, interval: Double) {
        // Not on the thread of the signals: the disk may make it wait.
        signal.start { [box, queue] _ in queue.async { box.trigger("signal") } }
        listener.begin(device, interval: interval)
        let idle = triggers.filter(\.needsAcceleration).map(\.text)
        if !idle.isEmpty, !device.motionSource.sensors.contains(where: { $0.kind == .accelerometer }) {
            events.warn(
                "There is no accelerometer: until one is found, \(idle.joined(separator: ", ")) cannot be noticed. sensorctl doctor tells what may be wrong."
            )
        }
    }

    /// Saves what a killed recorder has left behind, beside recording.
    func saveLeftovers() { box.saveLeftovers() }

    /// Saves what waits, and returns when that is done; the answer is why that could not be. The recorder is to be stopped
    /// next.
    ///
    /// - Parameter isFailure: true when nothing can be recorded any more, which is no event.
    func finish(isFailure: Bool) -> DeviceError? {
        signal.stop()
        // Who ends it right after asking for a trace gets that.
        queue.sync {}
        listener.end()
        if !isFailure, triggers.contains(where: { $0.condition == .end }) { box.trigger("end") }
        box.finish()
        return failure.error.withLock { $0 }
    }

    func discard() throws(DeviceError) { try ring.discard() }
}

/// Why a trace could not be saved.
private final class SaveFailure: Sendable {
    let error = Mutex<DeviceError?>(nil)
}
