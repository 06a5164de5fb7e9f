// SPDX-License-Identifier: Apache-2.0

import BlackBox
import DeviceCore
import Dispatch
import SensorTools
import Synchronization
import SystemCalls
import Trace

/// A recording's black box: a ring of recent data and the triggers that save it. SIGUSR1 also acts as a trigger.
final class BlackBoxSession: Sendable {
    let writer: TraceWriter
    private let ring: TraceRing
    private let box: BlackBox
    private let triggers: [RecordingTrigger]
    private let listener: TriggerMonitor
    private let failure: SaveError
    private let signal: SignalRelay
    private let events: RecordingEvents
    private let queue = DispatchQueue(label: "sensorctl.black-box-signal")

    init(
        _ location: RingLocation, _ plan: BlackBoxPlan, clock: any DeviceClock, events: RecordingEvents,
        stop: StopRequest
    ) throws(DeviceError) {
        // The relay is created first, because SIGUSR1 may arrive at any time, and would end the program without the
        // relay.
        signal = SignalRelay([SIGUSR1], keeping: 1)
        self.events = events
        let ring = try TraceRing(location, options: plan.ring, clock: clock)
        let failure = SaveError()
        writer = TraceWriter(ring, clock: clock)
        let box = BlackBox(ring: ring, writer: writer, options: plan.box, clock: clock) { event in
            switch event {
            case .triggered(let trigger, let seconds): events.triggered(trigger, seconds: seconds)
            case .saved(let save, let triggers): events.saved(save, triggers: triggers, isLeftover: false)
            case .empty(let trigger):
                events.warn("\(TerminalText.text(trigger.event)): nothing has been recorded yet, so nothing was saved.")
            case .failed(let error):
                failure.error.withLock { $0 = $0 ?? error }
                stop.request(.failed(error, .inputOutput))
            case .processedLeftover(let leftover): events.recovered(leftover)
            case .failedLeftover(let error): events.warn(error.description)
            }
        }
        listener = TriggerMonitor(plan.triggers, clock: clock) { box.trigger($0) }
        triggers = plan.triggers
        (self.ring, self.box, self.failure) = (ring, box, failure)
    }

    /// Subscribes to the triggers. Must be called after the recording's header has been written.
    func begin(_ device: Device, interval: Double) {
        // Saves on a separate queue, because saving may block and delay other signals.
        signal.start { [box, queue] _ in queue.async { box.trigger("signal") } }
        listener.start(device, interval: interval)
        let idle = triggers.filter(\.needsAcceleration).map(\.text)
        if !idle.isEmpty, !device.motionSource.sensors.contains(where: { $0.kind == .accelerometer }) {
            events.warn(
                "There is no accelerometer: until one is found, \(idle.joined(separator: ", ")) cannot be detected. `sensorctl doctor` shows possible causes."
            )
        }
    }

    /// Saves the data left behind by a previous recorder that was killed. Must be called during a recording.
    func saveLeftovers() { box.saveLeftovers() }

    /// Ends the black box. Must be called before the recorder stops. If the user selected the end of the recording as a
    /// trigger, saves the data unless the recording failed. Returns the first error that occurred while saving, or nil.
    func finish(isFailure: Bool) -> DeviceError? {
        signal.stop()
        // Waits until all signals received so far have been handled.
        queue.sync {}
        listener.stop()
        if !isFailure, triggers.contains(where: { $0.condition == .end }) { box.trigger("end") }
        box.finish()
        return failure.error.withLock { $0 }
    }

    /// Removes the ring. Must be called after the recorder has stopped.
    func discard() throws(DeviceError) { try ring.discard() }
}

private final class SaveError: Sendable { let error = Mutex<DeviceError?>(nil) }
