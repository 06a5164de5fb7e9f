// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import IIOFormat
import SystemCalls

/// Sets up a device for capture, in this order: lock, clock, trigger, rate, buffer. Used on the reader thread.
struct BufferSetup {
    struct ConfiguredDevice {
        var layout: IIOScanLayout
        var channels: [Int]
        var timestampChannel: Int?
        var plan: BufferPlan
        var rate: Double?
        var timestampClock = TimestampCorrector.TimestampClock.none
        var missingTriggers: [String] = []
        var trigger: Int?
        var timerTrigger: (any IIOLease)?
        var buffer: (any IIOBuffer)?
        var facts: DeviceReader.Facts

        func makeCorrector(clock: any DeviceClock, library: any IIOLibrary) -> TimestampCorrector {
            var corrector = TimestampCorrector(
                base: timestampClock, interval: rate.map { $0 > 0 ? Double(plan.decimation) / $0 : 0 } ?? 0,
                decimation: plan.decimation, previous: facts.clockEstimate?.state(of: facts.clock, now: clock.now))
            if case .local(let name) = timestampClock,
                let offset = TimestampCorrector.offset(clock: clock, other: { library.time(of: name) })
            {
                corrector.start(offset: offset)
            }
            return corrector
        }
    }

    let group: DeviceGroup
    let connection: any IIOConnection
    let library: any IIOLibrary
    let address: MotionSourceAddress
    let options: IIOSourceOptions
    let settings: ChangedSettings

    init(
        group: DeviceGroup, connection: any IIOConnection, library: any IIOLibrary, address: MotionSourceAddress,
        options: IIOSourceOptions
    ) {
        (self.group, self.connection, self.library) = (group, connection, library)
        (self.address, self.options) = (address, options)
        settings = ChangedSettings(connection, isLocal: address.backend == .local)
    }

    private var device: IIODevice? {
        let devices = connection.context.devices
        return devices.indices.contains(group.device) ? devices[group.device] : nil
    }

    func lock() throws(ReaderFailure) -> (any IIOLease)? {
        do throws(IIOFailure) {
            return try connection.lock(group.device)
        } catch {
            throw ReaderFailure(error.error(captureOperation([])), .retry)
        }
    }

    func configure(
        _ plan: DeviceReadPlan, clockEstimate: ClockEstimate? = nil
    ) throws(ReaderFailure) -> ConfiguredDevice {
        guard let device else { throw removedError() }
        let timestamp = device.timestampChannel
        var channels = plan.active.flatMap { group.members[$0].sensor.axes.map(\.channel) }
        // Include the timestamp in the scan, so that all versions of libiio report the same scan size. See
        // `scanSizeMismatch(_:_:)`.
        if let timestamp { channels.append(timestamp) }
        guard let layout = device.layout(of: channels), layout.sampleSize > 0 else { throw removedError() }
        var configured = ConfiguredDevice(
            layout: layout, channels: channels, timestampChannel: timestamp,
            plan: BufferPlan(rate: nil, latency: plan.latency, isLocal: isLocal, isEventDriven: group.isEventDriven),
            facts: DeviceReader.Facts(clockEstimate: clockEstimate))
        if timestamp != nil { setClock(device, &configured) }
        try setTrigger(device, &configured)
        configured.rate = setRates(plan, trigger: configured.trigger, facts: &configured.facts)
        configured.plan = BufferPlan(
            rate: configured.rate ?? (plan.rate.isFinite && plan.rate > 0 ? plan.rate : nil), latency: plan.latency,
            wanted: plan.decimates ? plan.rate : nil, samples: options.samplesPerRefill,
            kernelBuffers: options.kernelBuffers, isLocal: isLocal, isEventDriven: group.isEventDriven)
        return configured
    }

    private var isLocal: Bool { address.backend == .local }

    private func removedError() -> ReaderFailure {
        ReaderFailure(IIOFailure.removed(group.deviceID).error(captureOperation([])), .reconnect)
    }

    private func captureOperation(_ triggers: [String]) -> IIOFailure.Operation {
        .capture(device: group.deviceID, triggers: triggers, address: address)
    }

    // MARK: Clock

    private func setClock(_ device: IIODevice, _ configured: inout ConfiguredDevice) {
        let name = "current_timestamp_clock"
        guard device.attribute(name) != nil else {
            // Kernels before 4.9 do not have this attribute and use the system clock for timestamps.
            configured.timestampClock = isLocal ? .local("realtime") : .remote
            return
        }
        let attributePath = IIOAttributePath.device(group.device, name)
        let original = try? connection.read(attributePath)
        var current = original ?? ""
        for candidate in ClockSelection.preferredClocks(over: current) {
            do throws(IIOFailure) {
                current = try settings.write(candidate, to: attributePath, from: original)
            } catch {
                guard isRefused(error, attributePath) else { continue }
                configured.facts.refusedSettings.append(attributePath)
                let text = DeviceError.text(errno: error.number)
                let now = current.isEmpty ? "it remains unchanged" : "it remains \(current)"
                configured.facts.remarks.append("The timestamp clock cannot be set to \(candidate) (\(text)); \(now).")
                break
            }
            if current == candidate { break }
        }
        configured.facts.clock = current
        if !isLocal {
            configured.timestampClock = .remote
        } else if current == "boottime" {
            configured.timestampClock = .device
        } else {
            configured.timestampClock = library.time(of: current) == nil ? .remote : .local(current)
        }
    }

    private func isRefused(_ failure: IIOFailure, _ attributePath: IIOAttributePath) -> Bool {
        (failure.number == EACCES || failure.number == EPERM) && !connection.isWritable(attributePath)
    }

    // MARK: Rate and trigger

    /// Writes the rates. Returns the resulting rate in hertz, or nil if unknown.
    func setRates(_ plan: DeviceReadPlan, trigger: Int?, facts: inout DeviceReader.Facts) -> Double? {
        var rates: [Double] = []
        var done: [IIORateAttribute] = []
        for index in plan.active {
            let sensor = group.members[index].sensor
            guard let attribute = sensor.rateAttribute, !done.contains(attribute) else { continue }
            done.append(attribute)
            let attributePath: IIOAttributePath
            switch attribute {
            case .device(let name): attributePath = .device(group.device, name)
            case .channel(let channel, let name): attributePath = .channel(group.device, channel, name)
            }
            let rate = setRate(at: attributePath, wanted: plan.rate, offered: sensor.rates, facts: &facts)
            if let rate { rates.append(rate) }
        }
        if let trigger, let rate = setRate(of: trigger, plan, fallback: rates.max(), facts: &facts) { return rate }
        return rates.filter { $0 > 0 }.min()
    }

    private func setRate(
        at attributePath: IIOAttributePath, wanted: Double, offered: SensorRates, facts: inout DeviceReader.Facts
    ) -> Double? {
        let original = try? connection.read(attributePath)
        let before = original.flatMap { IIONumber.double($0) }
        guard let rate = RateSelection.rate(wanted: wanted, offered: offered, current: before) else { return before }
        do throws(IIOFailure) {
            // Drivers round the rate, so the actual rate is read back.
            let current = try settings.write(AttributeNumber.text(rate), to: attributePath, from: original)
            return IIONumber.double(current) ?? rate
        } catch {
            let text = DeviceError.text(errno: error.number)
            let now = before.map { "it remains at \(AttributeNumber.text($0)) Hz" } ?? "it remains unchanged"
            if isRefused(error, attributePath) { facts.refusedSettings.append(attributePath) }
            facts.remarks.append("The rate could not be set to \(AttributeNumber.text(rate)) Hz (\(text)); \(now).")
            return before
        }
    }

    private func setRate(
        of trigger: Int, _ plan: DeviceReadPlan, fallback: Double?, facts: inout DeviceReader.Facts
    ) -> Double? {
        let devices = connection.context.devices
        guard devices.indices.contains(trigger), devices[trigger].attribute("sampling_frequency") != nil else {
            return nil
        }
        let wanted = plan.rate.isFinite ? plan.rate : fallback ?? 0
        let attributePath = IIOAttributePath.device(trigger, "sampling_frequency")
        let before = (try? connection.read(attributePath)).flatMap { IIONumber.double($0) }
        let targetRate = wanted > 0 ? wanted : max(before ?? 0, RateSelection.minimumDefault)
        if let before, abs(before - targetRate) <= targetRate * 1e-6 { return before }
        return setRate(
            at: attributePath, wanted: targetRate,
            offered: .range(minimum: 1, step: 0, maximum: RateSelection.maximumUnlistedRate), facts: &facts)
    }

    private func setTrigger(_ device: IIODevice, _ configured: inout ConfiguredDevice) throws(ReaderFailure) {
        let state = try? connection.trigger(of: group.device)
        let decision = TriggerSelection.decide(
            device: group.device, context: connection.context, configured: group.trigger, state: state,
            parent: { connection.parent(of: $0) })
        switch decision {
        case .keep: if case .set(let trigger) = state { configured.trigger = trigger }
        case .withoutTrigger(let names): configured.missingTriggers = names
        case .missing(let name, let offered):
            let list = offered.isEmpty ? "none" : offered.joined(separator: ", ")
            throw ReaderFailure(
                DeviceError(
                    .invalidConfiguration,
                    "The trigger \"\(name)\" in the configuration of \(group.deviceID) at \(address) does not exist. Available triggers: \(list). Correct the setting \"trigger\"."
                ), .reconnect)
        case .set(let trigger):
            do throws(IIOFailure) {
                try connection.setTrigger(trigger, of: group.device)
                configured.trigger = trigger
            } catch {
                configured.missingTriggers = [connection.context.devices[trigger].name]
            }
        }
    }

    // MARK: Buffer

    /// Starts the capture. `attach` registers the buffer for cancellation and returns false if the task has ended.
    func open(_ configured: inout ConfiguredDevice, attach: (any IIOBuffer) -> Bool) throws(ReaderFailure) {
        var buffer: any IIOBuffer
        do throws(IIOFailure) {
            buffer = try openBuffer(configured, attach)
        } catch {
            guard error.number == EINVAL, let second = try? withTimerTrigger(&configured, attach) else {
                throw failure(error, configured)
            }
            buffer = second
        }
        guard buffer.scanSize == configured.layout.sampleSize else {
            buffer.close()
            throw scanSizeMismatch(buffer.scanSize, configured.layout)
        }
        configured.buffer = buffer
    }

    private func openBuffer(
        _ configured: ConfiguredDevice, _ attach: (any IIOBuffer) -> Bool
    ) throws(IIOFailure) -> any IIOBuffer {
        let buffer = try connection.openBuffer(
            device: group.device, channels: configured.channels, samples: configured.plan.samples,
            kernelBuffers: configured.plan.kernelBuffers, timeout: configured.plan.timeout)
        do throws(IIOFailure) {
            guard attach(buffer) else { throw IIOFailure("iio_device_create_buffer", ECANCELED) }
            try buffer.start()
            return buffer
        } catch {
            buffer.close()
            throw error
        }
    }

    private func withTimerTrigger(
        _ configured: inout ConfiguredDevice, _ attach: (any IIOBuffer) -> Bool
    ) throws(IIOFailure) -> any IIOBuffer {
        guard !configured.missingTriggers.isEmpty else { throw IIOFailure("create a timer trigger", EINVAL) }
        let rate = configured.rate ?? BufferPlan.assumedRate
        let trigger = try connection.timerTrigger(for: group.device, rate: max(rate, 1))
        do throws(IIOFailure) {
            let buffer = try openBuffer(configured, attach)
            configured.timerTrigger = trigger
            configured.facts.remarks.append("It uses a timer trigger that was created for it.")
            return buffer
        } catch {
            trigger.release()
            throw error
        }
    }

    private func failure(_ failure: IIOFailure, _ configured: ConfiguredDevice) -> ReaderFailure {
        let error = failure.error(captureOperation(configured.missingTriggers))
        switch failure.number {
        case EBUSY: return ReaderFailure(error, .retry)
        case EACCES, EPERM, EINVAL, ENOSYS, EOPNOTSUPP: return fallBackToPolling(error)
        default: return ReaderFailure(error, .reconnect)
        }
    }

    private func fallBackToPolling(_ error: DeviceError) -> ReaderFailure {
        let canPoll = group.members.contains { $0.sensor.canPoll }
        let remark = "Its axes are polled one by one: \(error.message)"
        return ReaderFailure(error, canPoll ? .poll(remark: remark) : .retry)
    }

    private func scanSizeMismatch(_ step: Int, _ layout: IIOScanLayout) -> ReaderFailure {
        let reason =
            step == layout.unpaddedSize
            ? "Up to version 0.24, libiio ignores the padding at the end of a scan without a timestamp; version 0.26 reads such scans correctly"
            : "The channels in its description are inconsistent"
        return fallBackToPolling(
            DeviceError(
                .notSupported,
                "The samples of \(group.deviceID) at \(address) cannot be decoded: their reported size is \(step) bytes instead of \(layout.sampleSize). \(reason)."
            ))
    }
}
