// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import IIOFormat
import Logging

/// Opens a context, manages the reader threads of its devices, and recovers from failures.
///
/// Used only on the context's thread. Each call to `performPass()` is one pass over all devices. The extensions
/// `+Context` (opening, searching, publishing) and `+Monitoring` (stalls, removal) also modify the variables below.
final class ContextSupervisor {
    /// The maximum time that a device may take to respond, in seconds.
    static let setupLimit = 3.0
    /// The time to wait for a reader thread to end before abandoning it, in seconds.
    static let abandonTimeout = 30.0
    /// While this many abandoned threads are still running, no more threads are abandoned.
    static let maximumAbandoned = 4
    /// The factor by which the search interval is extended while `DeviceWatch` reports device changes.
    static let monitoredFactor = 15.0
    /// Devices are set up again after a system suspend of at least this duration, in seconds.
    static let minimumSuspension = 0.5

    /// `xml` describes the context as it was when last opened, including attribute values. It is empty before the
    /// context is first opened.
    ///
    /// ```
    /// closed, open ── opening succeeds ──▶ open
    /// closed, open ── opening fails; if the context is needed, opening is retried after a delay ──▶ closed
    /// open ── a device is unplugged or needs a new context ──▶ closed
    /// open ── no subscription needs the context ──▶ closed
    /// ```
    enum Context {
        case closed(xml: String)
        case open(any IIOConnection, xml: String)
    }

    let session: ContextSession
    let hub: MotionHub
    let catalog: SensorCatalog
    var context = Context.closed(xml: "")
    var search: DeviceSearch
    var devices: [ActiveDevice] = []
    var nameTable = DeviceNameTable()
    /// The boot time minus the monotonic time, in nanoseconds. It grows while the machine is suspended.
    var suspendedTime: Int64?

    init(session: ContextSession, hub: MotionHub, catalog: SensorCatalog) {
        self.session = session
        self.hub = hub
        self.catalog = catalog
        let options = session.dependencies.options
        let backoff = Backoff(first: options.initialRetryDelay, limit: options.maximumRetryDelay)
        search = DeviceSearch(opening: RetryTimer(backoff: backoff))
    }

    /// The open context, or nil if there is none. A device's `discovery` may keep a previous context open.
    var connection: (any IIOConnection)? { if case .open(let connection, _) = context { connection } else { nil } }
    var address: MotionSourceAddress { session.address }
    var dependencies: IIOSourceDependencies { session.dependencies }
    var clock: any DeviceClock { dependencies.clock }

    /// Performs one pass. Returns the time at which the next pass is due, or nil if no work is left. If the result is
    /// nil, the thread ends unless new work has been requested in the meantime. Devices keep their contexts open until
    /// this object is released.
    func performPass() -> BootTime? {
        // The order matters: an ended reader may require a new context, and a new context updates the devices before
        // their readers start. Readers that start after a system suspend need no restart, so `restartAfterSuspension()`
        // runs before they start. `publish()` is last, because any of the other steps may change a description. The
        // clock is read for each device, because notifying subscribers may take a long time.
        for device in devices { processStage(of: device, now: clock.now) }
        if needsOpening(clock.now) { openContext() }
        restartAfterSuspension()
        for device in devices { applySubscriptions(to: device, now: clock.now) }
        publish()
        let isReading = devices.contains { $0.reader != nil }
        guard isReading || session.isNeeded(hub) else {
            closeContext()
            return nil
        }
        return deadline(now: clock.now, isReading: isReading)
    }

    private func deadline(now: BootTime, isReading: Bool) -> BootTime {
        var deadline = BootTime.never
        if isReading { deadline = now.advanced(bySeconds: StallDetector.interval) }
        if connection == nil, session.isNeeded(hub) { deadline = min(deadline, search.opening.time) }
        if needsSearch { deadline = min(deadline, search.deadline) }
        if hub.isMissingSensor, let time = search.recheckTime { deadline = min(deadline, time) }
        for device in devices { deadline = min(deadline, device.deadline(canStart: connection != nil)) }
        // The delay is at least 5 ms, so that a deadline that remains in the past does not cause a busy loop.
        return max(deadline, now.advanced(bySeconds: 0.005))
    }

    // MARK: Devices

    private func processStage(of device: ActiveDevice, now: BootTime) {
        guard let reader = device.reader else { return }
        // Read the stage before `facts`: once the stage is `ended`, the facts are complete.
        let stage = reader.stage
        device.facts = reader.facts
        guard case .ended(let failure) = stage.phase else { return monitor(device, stage, now: now) }
        if reader.hasProgress { device.retry.resetDelay() }
        device.finish()
        guard let failure else { return }
        if reader.plan?.decimates == true, !reader.hasProgress, failure.mayBeDueToSize {
            // The buffer may have been too large to allocate. Without decimation, a smaller buffer suffices.
            device.bufferUse.stopDecimating()
            device.retry.allow(at: now)
            return
        }
        switch failure.remedy {
        case .poll(let remark):
            disableBuffer(of: device, now: now, remark, isForbidden: failure.isPermissionDenied)
            return
        case .retry: break
        case .reconnect: closeContext()
        }
        setUnavailable(device, failure.error)
        device.retry.recordFailure(now: now)
        // If the context is still open, this postpones only the next periodic search.
        search.opening.postpone(to: device.retry.time)
    }

    func setUnavailable(_ device: ActiveDevice, _ error: DeviceError) {
        device.isUnavailable = true
        for member in device.group.members { hub.setStatus(.unavailable(error), of: member.description.id) }
    }

    private func applySubscriptions(to device: ActiveDevice, now: BootTime) {
        device.bufferUse.retryIfDue(now: now) { device.discovery.connection.isNodeAccessible(device.group.device) }
        let plan = DeviceReadPlan.plan(
            for: device.group, isPolled: device.bufferUse.failure != nil, mayDecimate: device.bufferUse.mayDecimate
        ) { hub.demand(of: $0) }
        // The status is set in each pass, because a device failure or the end of the last subscription may overwrite
        // it.
        for member in device.group.members {
            if let problem = member.sensor.problem { hub.setStatus(.unavailable(problem), of: member.description.id) }
        }
        let hasNewSensor = plan?.active.contains { device.requestedPlan?.active.contains($0) != true } ?? false
        device.requestedPlan = plan
        guard let plan else {
            if device.isUnavailable {
                device.isUnavailable = false
                device.group.resetStatus(in: hub, except: [])
            }
            device.leave(now: now)
            abandonIfStuck(device, now: now)
            return
        }
        switch device.state {
        case .active: device.continueReading(with: plan, now: now)
        case .leaving:
            // A device that is leaving because it failed must wait for the retry delay. In all other cases,
            // `retry.time` has already passed.
            if now >= device.retry.time {
                device.continueReading(with: plan, now: now)
            } else {
                abandonIfStuck(device, now: now)
            }
        case .idle:
            if hasNewSensor {
                // Earlier failures must not delay a new subscription.
                let soon = now.advanced(bySeconds: dependencies.options.initialRetryDelay)
                device.retry.resetDelay()
                device.retry.allow(at: soon)
                search.opening.allow(at: soon)
            }
            if now >= device.retry.time, connection != nil { start(device, plan, now: now) }
        }
    }

    private func start(_ device: ActiveDevice, _ plan: DeviceReadPlan, now: BootTime) {
        // The reader thread calls the closure below, so the closure captures the semaphore, not this object.
        let semaphore = session.semaphore
        let group = device.group
        let reader = DeviceReader(plan: plan, now: now, clockEstimate: device.facts.clockEstimate) {
            semaphore.signal()
        }
        let task = DeviceReadTask(
            reader: reader, group: group, connection: device.discovery.connection, library: dependencies.library,
            address: address, hub: hub, clock: clock, options: dependencies.options,
            // An initial value would mark a failed device as available before its buffer works again.
            readsInitialValues: !device.isUnavailable)
        if plan.isPolled, group.members.contains(where: { !$0.sensor.canBuffer }) {
            let remark = "has no buffer, so its axes are polled one by one. It may lack an interrupt line."
            logOnce("\(group.deviceID) at \(address) \(remark)", level: .notice)
        }
        do throws(DeviceError) {
            try dependencies.spawn { task.run() }
            device.start(reader)
        } catch {
            setUnavailable(device, error)
            device.retry.recordFailure(now: now)
        }
    }
}
