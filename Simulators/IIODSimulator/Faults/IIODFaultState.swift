// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Trace

/// The pending and active faults of a simulated iiod. Part of `IIODState` and protected by the same lock.
struct IIODFaultState: Sendable {
    struct DeviceFaults: Sendable {
        /// The maximum number of samples in a chunk, or 0 for no limit.
        var maximumChunk = 0
        var isStalled = false
        /// The number of stalls so far. When this number changes, a stream skips the samples lost during the stall.
        var stallCount = 0
        var openError: Int32?
        /// The errors, keyed by attribute name. An empty name stands for all attributes.
        var attributeErrors: [String: Int32] = [:]
        /// The error that OPEN and attribute accesses return while the device is unplugged, or nil if it is connected.
        var unpluggedError: Int32?
        var lengthError = 0
        /// The last failure of the device's streams. It affects only streams opened before the failure, whose serial
        /// numbers are at most `serial`.
        var failure: (status: IIODStatus, serial: UInt64)?
    }

    struct ConnectionActions: Sendable {
        var drops = false
        /// True if the port must be opened, false if it must be closed, or nil if its state does not change.
        var isListening: Bool?
    }

    /// The delay of each reply, in seconds.
    var delay = 0.0
    private(set) var connectionActions = ConnectionActions()
    private(set) var isListening = true
    private var devices: [DeviceFaults]
    private var pendingFaults: [Entry] = []
    /// The ends of faults that began before the current time was known, each with the duration of its fault. The ends
    /// are scheduled as soon as the time is known.
    private var unscheduledEnds: [(entry: Entry, duration: Double)] = []

    private struct Entry {
        var action: IIODFault.Action
        var device: Int?
        var moment: FaultMoment
        var duration: Double?
        var isEnd = false
        /// The time in seconds, or -1 for an entry without a time. Such entries sort first.
        var time: Double { if case .seconds(let time) = moment { time } else { -1 } }
    }

    init(deviceCount: Int) { devices = Array(repeating: DeviceFaults(), count: deviceCount) }

    subscript(device: Int) -> DeviceFaults { devices[device] }

    mutating func drainConnectionActions() -> ConnectionActions {
        defer { connectionActions = ConnectionActions() }
        return connectionActions
    }

    mutating func add(_ fault: IIODFault, device: Int?) {
        pendingFaults.append(
            Entry(action: fault.action, device: device, moment: fault.moment, duration: fault.duration))
    }

    /// True if a fault has begun but its end has not been scheduled, because the current time is not known.
    var needsTime: Bool { !unscheduledEnds.isEmpty }

    /// Schedules the ends in `unscheduledEnds`, as if their faults had begun at the given time, in seconds since the
    /// start of the timeline.
    mutating func scheduleEnds(at: Double) {
        for (entry, duration) in unscheduledEnds {
            var entry = entry
            entry.moment = .seconds(at + duration)
            pendingFaults.append(entry)
        }
        unscheduledEnds = []
    }

    /// The time of the next scheduled fault, in seconds since the start of the timeline.
    var nextTime: Double? {
        pendingFaults.compactMap { if case .seconds(let time) = $0.moment { time } else { nil } }.min()
    }

    /// Returns the number of the next sample at which a fault of the device occurs, or nil if no such fault is pending.
    func nextSample(of device: Int) -> Int64? {
        guard !pendingFaults.isEmpty else { return nil }
        return pendingFaults.compactMap { entry in
            guard case .reading(let sample) = entry.moment, entry.device == nil || entry.device == device else {
                return nil
            }
            return sample
        }.min()
    }

    /// Applies the faults for which the closure returns true. `serial` is the number of streams opened so far. Returns
    /// true if any fault was applied.
    mutating func apply(serial: UInt64, _ isDue: (FaultMoment, _ device: Int?) -> Bool) -> Bool {
        var hasChanged = false
        // A fault may schedule its own end, which may already be due, so faults are applied one at a time in
        // chronological order.
        while let index = pendingFaults.indices.filter({ isDue(pendingFaults[$0].moment, pendingFaults[$0].device) })
            .min(by: { pendingFaults[$0].time < pendingFaults[$1].time })
        {
            let entry = pendingFaults.remove(at: index)
            apply(entry, serial: serial)
            // Whether a `restart` fault has an end depends on `isListening`, which the fault has just changed.
            scheduleEnd(of: entry)
            hasChanged = true
        }
        return hasChanged
    }

    private mutating func apply(_ entry: Entry, serial: UInt64) {
        switch entry.action {
        case .delay(let seconds): delay = max(0, seconds)
        case .drop: connectionActions.drops = true
        case .kill: setListening(false)
        case .restart: setListening(entry.isEnd || !isListening)
        default:
            for index in devices.indices where entry.device == nil || entry.device == index {
                devices[index].apply(entry.action, serial: serial)
            }
        }
    }

    private mutating func setListening(_ isListening: Bool) {
        self.isListening = isListening
        if !isListening { connectionActions.drops = true }
        connectionActions.isListening = isListening
    }

    private mutating func scheduleEnd(of entry: Entry) {
        var duration = entry.duration
        if case .restart = entry.action { duration = isListening ? nil : duration ?? IIODFault.defaultRestartDelay }
        guard !entry.isEnd, let duration, let ending = entry.action.ending else { return }
        var end = Entry(action: ending, device: entry.device, moment: .start, isEnd: true)
        if entry.time >= 0 {
            end.moment = .seconds(entry.time + max(0, duration))
            pendingFaults.append(end)
        } else {
            unscheduledEnds.append((end, max(0, duration)))
        }
    }
}

extension IIODFaultState.DeviceFaults {
    mutating func apply(_ action: IIODFault.Action, serial: UInt64) {
        switch action {
        case .partialChunks(let count): maximumChunk = max(0, count)
        case .streamError(let number): failure = (IIODStatus(number), serial)
        case .stall:
            isStalled = true
            stallCount += 1
        case .resume: isStalled = false
        case .refuseOpen(let number): openError = number
        case .attributeError(let name, let number): attributeErrors[name ?? ""] = number
        case .unplug(let number):
            unpluggedError = number
            failure = (.noDevice, serial)
        case .reconnect: unpluggedError = nil
        case .wrongLengths(let bytes): lengthError = bytes
        case .delay, .drop, .kill, .restart: break
        }
    }
}
