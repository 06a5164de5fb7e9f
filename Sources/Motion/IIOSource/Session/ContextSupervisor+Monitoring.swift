// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import IIOFormat
import Logging

/// Detects devices that stop responding or deliver no samples, and recovers them. Used only on the context's thread.
/// When readings resume, this extension only clears `isUnavailable`; the hub sets the status when it receives them.
extension ContextSupervisor {
    func monitor(_ device: ActiveDevice, _ stage: DeviceReader.Stage, now: BootTime) {
        guard case .active(let reader, _) = device.state else { return }
        switch stage.phase {
        case .ended: return
        case .settingUp:
            // Refused settings are not retried during setup, because `facts` still describes the previous stage.
            return monitorAnswers(of: device, reader, stage, limit: Self.setupLimit, now: now)
        case .polling(let interval):
            // The limit is longer than five cycles, because the reader thread itself reports an error after five failed
            // cycles.
            monitorAnswers(of: device, reader, stage, limit: Self.setupLimit + 5 * interval, now: now)
        case .capturing(let plan, let start): monitorBuffer(of: device, reader, stage, plan, start: start, now: now)
        }
        if !device.facts.refusedSettings.isEmpty { retrySettings(of: device, now: now) }
    }

    private func monitorAnswers(
        of device: ActiveDevice, _ reader: DeviceReader, _ stage: DeviceReader.Stage, limit: Double, now: BootTime
    ) {
        let isFlowing = device.updateDetector(of: stage) {
            StallDetector(limit: limit, progress: reader.activityCounter, now: stage.since)
        } update: { detector in
            if reader.isDelivering { detector.postpone(now: now) }
            if detector.check(progress: reader.activityCounter, now: now) != .none {
                setUnavailable(device, notAnswering(device))
                detector = StallDetector(limit: limit, progress: reader.activityCounter, now: now)
            }
            return detector.isFlowing
        }
        if case .polling = stage.phase, isFlowing == true { device.isUnavailable = false }
    }

    /// Restarts a buffer that delivers nothing or stalls. If the last attempt delivers nothing, the sensors are read
    /// axis by axis. If that is impossible, the reader ends and the device is retried after a delay.
    private func monitorBuffer(
        of device: ActiveDevice, _ reader: DeviceReader, _ stage: DeviceReader.Stage, _ plan: BufferPlan, start: Int,
        now: BootTime
    ) {
        guard device.discovery.connection.isPresent(device.group.device) else {
            // The kernel does not wake a reader when its device is removed. The context is now outdated, so reopen it.
            closeContext()
            return remove(device, now: now)
        }
        let result = device.updateDetector(of: stage) {
            StallDetector(plan: plan, isEventDriven: device.group.isEventDriven, progress: start, now: stage.since)
        } update: { detector in
            if reader.isDelivering { detector.postpone(now: now) }
            return (verdict: detector.check(progress: reader.progress, now: now), isFlowing: detector.isFlowing)
        }
        guard let result else { return }
        switch result.verdict {
        case .none:
            if result.isFlowing {
                device.bufferUse.recordSamples()
                device.isUnavailable = false
            }
        case .notStarted where !device.bufferUse.isLastAttempt: restartBuffer(of: device, reader, now: now)
        case .notStarted:
            if device.group.members.contains(where: { $0.sensor.canPoll }) {
                disableBuffer(
                    of: device, now: now,
                    "Its buffer delivers no samples, so its axes are polled one by one. Check its trigger and interrupt line."
                )
            } else {
                setUnavailable(device, failed(device, .noSamples))
                device.retry.recordFailure(now: now)
                device.leave(now: now)
            }
        case .stalled:
            setUnavailable(device, failed(device, .noSamples))
            restartBuffer(of: device, reader, now: now)
        }
    }

    private func restartBuffer(of device: ActiveDevice, _ reader: DeviceReader, now: BootTime) {
        device.bufferUse.recordRestart(decimates: reader.plan?.decimates == true)
        device.restart(now: now)
    }

    /// Sets up the device again once refused settings are writable, for example because udev has granted access.
    private func retrySettings(of device: ActiveDevice, now: BootTime) {
        for remark in device.facts.remarks { logOnce("\(name(of: device)): \(remark)") }
        guard device.facts.refusedSettings.contains(where: device.discovery.connection.isWritable) else { return }
        device.facts.refusedSettings = []
        device.restart(now: now)
    }

    /// Abandons a reader thread that does not end in time.
    func abandonIfStuck(_ device: ActiveDevice, now: BootTime) {
        guard case .leaving(let reader, let since) = device.state, now.seconds(since: since) > Self.abandonTimeout,
            session.abandonedCount < Self.maximumAbandoned
        else { return }
        session.abandon(reader)
        device.finish()
    }

    func remove(_ device: ActiveDevice, now: BootTime) {
        if let reader = device.reader {
            // Stop the reader before setting the status, because new readings would make the sensors available again.
            device.leave(now: now)
            session.abandon(reader)
        }
        devices.removeAll { $0 === device }
        setUnavailable(device, failed(device, .removed(device.group.deviceID)))
    }

    func disableBuffer(of device: ActiveDevice, now: BootTime, _ remark: String, isForbidden: Bool = false) {
        let isAccessible = device.discovery.connection.isNodeAccessible(device.group.device) == true
        device.bufferUse.disable(remark, isForbidden: isForbidden, isAccessible: isAccessible, now: now)
        logOnce("\(name(of: device)): \(remark)")
    }

    var log: Logger { Logger(label: "device-services.motion") }

    func logOnce(_ remark: String, level: Logger.Level = .warning) {
        if session.recordIfNew(remark: remark) { log.log(level: level, "\(remark)") }
    }

    private func name(of device: ActiveDevice) -> String {
        address.backend == .local ? device.group.deviceID : "\(device.group.deviceID) at \(address)"
    }

    private func failed(_ device: ActiveDevice, _ failure: IIOFailure) -> DeviceError {
        failure.error(.stream(device: device.group.deviceID, address: address))
    }

    private func notAnswering(_ device: ActiveDevice) -> DeviceError {
        DeviceError(
            .silent,
            "\(device.group.deviceID) at \(address) does not respond. Retrying. If it is on the network, check the connection and whether iiod runs."
        )
    }
}
