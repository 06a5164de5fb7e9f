// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import IIOFormat

/// Reads a device on its reader thread and starts over when the plan changes.
struct DeviceReadTask {
    let reader: DeviceReader
    let group: DeviceGroup
    let connection: any IIOConnection
    let library: any IIOLibrary
    let address: MotionSourceAddress
    let hub: MotionHub
    let clock: any DeviceClock
    let options: IIOSourceOptions
    let readsInitialValues: Bool

    func run() {
        var failure: ReaderFailure?
        // The requested sensors whose initial values have already been read. The array is nil only during the first
        // task, and only if `readsInitialValues` is false. In this case, all sensors requested by that task count as
        // read.
        var initiallyRead: [Int]? = readsInitialValues ? [] : nil
        while failure == nil, let task = reader.task() {
            reader.enter(.settingUp, now: clock.now)
            var read = task.plan.active
            if let initiallyRead { read.removeAll { !initiallyRead.contains($0) } }
            defer { initiallyRead = read }
            do throws(ReaderFailure) {
                if task.plan.isPolled {
                    try poll(task.plan, generation: task.generation)
                } else {
                    try capture(task.plan, generation: task.generation, initiallyRead: &read)
                }
            } catch {
                if reader.isCurrent(task.generation) { failure = error }
            }
        }
        reader.enter(.ended(failure), now: clock.now)
    }

    private var setup: BufferSetup {
        BufferSetup(group: group, connection: connection, library: library, address: address, options: options)
    }

    // MARK: Capture

    private func capture(_ plan: DeviceReadPlan, generation: Int, initiallyRead: inout [Int]) throws(ReaderFailure) {
        // The deferred statements run in reverse order: the lock is released last, after the buffer has been closed,
        // the timer trigger released and the settings restored.
        let setup = setup
        let lock = try setup.lock()
        defer { lock?.release() }
        defer { setup.settings.restore() }
        var configured = try setup.configure(plan, clockEstimate: reader.facts.clockEstimate)
        defer { configured.timerTrigger?.release() }
        for index in plan.active where !initiallyRead.contains(index) && readInitialValue(group.members[index]) {
            initiallyRead.append(index)
        }
        guard reader.isCurrent(generation) else { return }
        defer {
            reader.detachBuffer()
            configured.buffer?.close()
        }
        try setup.open(&configured) { reader.attach($0, generation: generation) }
        guard let buffer = configured.buffer else { return }
        reader.record(configured.facts)
        let bufferReader = BufferReader(
            layout: configured.layout, decimation: configured.plan.decimation,
            members: plan.active.map { group.members[$0] }, timestampChannel: configured.timestampChannel,
            corrector: configured.makeCorrector(clock: clock, library: library),
            reader: reader, hub: hub, clock: clock, library: library)
        group.resetStatus(in: hub, except: plan.active)
        reader.enter(.capturing(configured.plan, start: reader.progress), now: clock.now)
        let (errorNumber, finalReader) = read(buffer, bufferReader, configured.plan, generation: generation)
        if let clockEstimate = ClockEstimate(configured.facts.clock, finalReader.clockState) {
            configured.facts.clockEstimate = clockEstimate
            reader.record(configured.facts)
        }
        guard reader.isCurrent(generation) else { return }
        let failure = IIOFailure("iio_buffer_refill", errorNumber)
        // An event-driven sensor may have no changes to report for a long time, so a server timeout is not an error.
        if group.isEventDriven, failure.isConnectionLoss, finalReader.secondsSinceRefill(now: clock.now) >= 1,
            isResponding()
        {
            return
        }
        throw ReaderFailure(failure.error(.stream(device: group.deviceID, address: address)), .reconnect)
    }

    /// The maximum time, in seconds, within which an executor must read a buffer that it polls.
    private static let maximumTolerance = 0.1

    /// Reads the buffer until an error occurs or the task ends. Returns the error number and the buffer reader's final
    /// state.
    private func read(
        _ buffer: any IIOBuffer, _ bufferReader: BufferReader, _ plan: BufferPlan, generation: Int
    ) -> (errorNumber: Int32, bufferReader: BufferReader) {
        var bufferReader = bufferReader
        guard let pollHandle = buffer.pollHandle else { return (bufferReader.run(buffer), bufferReader) }
        let pollableBuffer = PollableBuffer(buffer, pollHandle.descriptor, bufferReader, plan, clock: clock)
        let sensors = bufferReader.sensors
        // The tolerance is short enough that the reader thread can take over well before the kernel buffers are full.
        let tolerance = options.tolerance ?? min(Self.maximumTolerance, Double(buffer.kernelBuffers) * plan.period / 3)
        var coordinator = ReadinessCoordinator(
            source: pollableBuffer, wakeUp: pollHandle.wakeUp, clock: clock, tolerance: tolerance,
            limit: tolerance + 3 * plan.period
        ) { [hub] in pollableBuffer.mayBePolledByExecutor ? hub.executor(of: sensors) : nil }
        while reader.isCurrent(generation), (try? coordinator.run()) != nil {}
        coordinator.deregister()
        return pollableBuffer.close()
    }

    private func isResponding() -> Bool {
        guard let axis = group.members.first?.sensor.axes.first else { return false }
        return (try? connection.read(.channel(group.device, axis.channel, axis.attributeName))) != nil
    }

    /// Reads and delivers a sensor's current value, because an event-driven sensor may report only changes.
    private func readInitialValue(_ member: DeviceGroup.Member) -> Bool {
        guard member.sensor.canPoll, reader.mayDeliver,
            let poll = try? AttributePoll(member, device: group.device, connection: connection),
            let value = try? poll.read(), reader.mayDeliver
        else { return false }
        let now = clock.now
        reader.isDelivering = true
        hub.post(MotionBatch(sensor: poll.id, kind: poll.kind, values: [value], times: [now], arrival: now))
        reader.isDelivering = false
        return true
    }

    // MARK: Polling

    /// The upper limit of `IIOSourceOptions.maximumPollRate`, in hertz. A higher rate would occupy a processor core.
    private static let pollRateLimit = 10_000.0

    private func poll(_ plan: DeviceReadPlan, generation: Int) throws(ReaderFailure) {
        var polls: [AttributePoll] = []
        do throws(IIOFailure) {
            for index in plan.active where group.members[index].sensor.canPoll {
                polls.append(try AttributePoll(group.members[index], device: group.device, connection: connection))
            }
        } catch {
            throw failure(error)
        }
        guard !polls.isEmpty else { throw ReaderFailure(failure(.removed(group.deviceID)).error, .retry) }
        let setup = setup
        defer { setup.settings.restore() }
        var facts = DeviceReader.Facts(clockEstimate: reader.facts.clockEstimate, isPolled: true)
        let currentRate = setup.setRates(plan, trigger: nil, facts: &facts)
        reader.record(facts)
        let wanted = plan.rate > 0 ? plan.rate : currentRate ?? RateSelection.minimumDefault
        // Reading faster than the sensor's rate would return the same values repeatedly.
        let rate = min(wanted, options.maximumPollRate, Self.pollRateLimit, currentRate ?? .infinity)
        let interval = 1 / max(rate, 0.01)
        group.resetStatus(in: hub, except: plan.active)
        reader.enter(.polling(interval: interval), now: clock.now)
        try run(polls, interval: interval, generation: generation)
    }

    private func failure(_ failure: IIOFailure) -> ReaderFailure {
        let error = failure.error(.poll(device: group.deviceID, address: address))
        // Reconnecting does not help if the device is busy or access is denied.
        return ReaderFailure(error, failure.isAccessRefused ? .retry : .reconnect)
    }

    private func run(_ polls: [AttributePoll], interval: Double, generation: Int) throws(ReaderFailure) {
        var next = clock.now
        var failures = 0
        var batches = polls.map { MotionBatch(sensor: $0.id, kind: $0.kind, values: [.zero], times: [.zero]) }
        while reader.isCurrent(generation) {
            do throws(IIOFailure) {
                for (index, poll) in polls.enumerated() {
                    let before = clock.now
                    let value = try poll.read()
                    guard reader.mayDeliver else { return }
                    let now = clock.now
                    batches[index].values[0] = value
                    // The axes are read one after another. The midpoint of the whole read is the best estimate of the
                    // measurement time.
                    batches[index].times[0] = BootTime(
                        nanoseconds: before.nanoseconds &+ (now.nanoseconds &- before.nanoseconds) / 2)
                    batches[index].arrival = now
                    reader.isDelivering = true
                    hub.post(batches[index])
                    reader.isDelivering = false
                }
                failures = 0
                reader.countRefill()
            } catch {
                failures += 1
                // A single read may fail while the driver is busy.
                let isGone = error.isDeviceRemoved || error.isConnectionLoss
                if isGone || failures >= 5, reader.isCurrent(generation) { throw failure(error) }
            }
            next = next.advanced(bySeconds: interval)
            let now = clock.now
            if next < now { next = now.advanced(bySeconds: failures > 0 ? interval : 0) }
            while reader.isCurrent(generation), clock.now < next { reader.semaphore.wait(until: next, clock: clock) }
        }
    }
}

/// Reads a sensor's current value from the attributes of its axes.
struct AttributePoll {
    let id: SensorDescription.ID
    let kind: SensorKind
    private let axes: [IIOAxis]
    private let attributes: any IIOPoll

    init(_ member: DeviceGroup.Member, device: Int, connection: any IIOConnection) throws(IIOFailure) {
        id = member.description.id
        kind = member.sensor.kind
        axes = member.sensor.axes
        attributes = try connection.openPoll(
            device: device, channels: axes.map { (channel: $0.channel, attribute: $0.attributeName) })
    }

    func read() throws(IIOFailure) -> SIMD3<Double> {
        var value = SIMD3<Double>.zero
        for (index, axis) in axes.prefix(3).enumerated() {
            let number = try attributes.read(index)
            guard number.isFinite else { throw IIOFailure.invalidNumber("\(axis.attributeName) of \(axis.channelID)") }
            value[index] = axis.value(of: number)
        }
        return value
    }
}
