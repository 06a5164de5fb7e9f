// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// The faults that are there now, and those that are still to come.
struct IIODFaultState: Sendable {
    /// What is wrong with one device.
    struct OfDevice: Sendable {
        var chunk = 0
        var isStalled = false
        var stallCount = 0
        var openError: Int32?
        /// By attribute; the empty name stands for all.
        var attributeErrors: [String: Int32] = [:]
        var unplugged: Int32?
        var lengthError = 0
        /// The last failure of its streams, and how many streams had been opened before.
        var failure: (status: IIODStatus, serial: UInt64)?
    }

    /// What is to be done with the connections.
    struct Orders: Sendable {
        var drops = false
        var isListening: Bool?
    }

    var delay = 0.0
    private(set) var orders = Orders()
    private(set) var isListening = true
    private var devices: [OfDevice]
    private var waiting: [Entry] = []
    /// The ends of faults that have begun at a time which is still to be told, with their durations.
    private var ends: [(entry: Entry, duration: Double)] = []

    /// A fault that is to come, or the end of one.
    private struct Entry {
        var action: IIODFault.Action
        var device: Int?
        var moment: FaultMoment
        var duration: Double?
        var isEnd = false

        /// Those without a time come first.
        var time: Double { if case .seconds(let time) = moment { time } else { -1 } }
    }

    init(deviceCount: Int) { devices = Array(repeating: OfDevice(), count: deviceCount) }

    subscript(device: Int) -> OfDevice { devices[device] }

    /// Hands over what is to be done with the connections, once.
    mutating func takeOrders() -> Orders {
        defer { orders = Orders() }
        return orders
    }

    mutating func add(_ fault: IIODFault, device: Int?) {
        waiting.append(Entry(action: fault.action, device: device, moment: fault.moment, duration: fault.duration))
    }

    /// True when faults that have begun wait for ``tell(seconds:)`` to know when they end.
    var needsTime: Bool { !ends.isEmpty }

    /// Tells how many seconds have passed since the first use, for the ends of what has just begun.
    mutating func tell(seconds: Double) {
        for (entry, duration) in ends {
            var entry = entry
            entry.moment = .seconds(seconds + duration)
            waiting.append(entry)
        }
        ends = []
    }

    /// The next time, in seconds since the first use, at which something happens.
    var nextTime: Double? {
        waiting.compactMap { if case .seconds(let time) = $0.moment { time } else { nil } }.min()
    }

    /// The next sample of the device before which something happens.
    func nextSample(of device: Int) -> Int64? {
        guard !waiting.isEmpty else { return nil }
        return waiting.compactMap { entry in
            guard case .reading(let sample) = entry.moment, entry.device == nil || entry.device == device else {
                return nil
            }
            return sample
        }.min()
    }

    /// Applies the faults whose moment the closure accepts; `serial` is the number of streams opened so far.
    mutating func apply(serial: UInt64, _ isDue: (FaultMoment, _ device: Int?) -> Bool) -> Bool {
        var hasChanged = false
        // One after the other, in the order of their times and those of one time as they were given: the end of one may be
        // due with it.
        while let place = waiting.indices.filter({ isDue(waiting[$0].moment, waiting[$0].device) })
            .min(by: { waiting[$0].time < waiting[$1].time })
        {
            let entry = waiting.remove(at: place)
            apply(entry, serial: serial)
            noteEnd(of: entry)
            hasChanged = true
        }
        return hasChanged
    }

    private mutating func apply(_ entry: Entry, serial: UInt64) {
        switch entry.action {
        case .delay(let seconds): delay = max(0, seconds)
        case .drop: orders.drops = true
        case .kill: listen(false)
        case .restart: listen(entry.isEnd || !isListening)
        default:
            for place in devices.indices where entry.device == nil || entry.device == place {
                devices[place].apply(entry.action, serial: serial)
            }
        }
    }

    private mutating func listen(_ isListening: Bool) {
        self.isListening = isListening
        if !isListening { orders.drops = true }
        orders.isListening = isListening
    }

    private mutating func noteEnd(of entry: Entry) {
        var duration = entry.duration
        if case .restart = entry.action { duration = isListening ? nil : duration ?? IIODFault.usualRestart }
        guard !entry.isEnd, let duration, let ending = entry.action.ending else { return }
        var end = Entry(action: ending, device: entry.device, moment: .start, isEnd: true)
        if entry.time >= 0 {
            end.moment = .seconds(entry.time + max(0, duration))
            waiting.append(end)
        } else {
            ends.append((end, max(0, duration)))
        }
    }
}

extension IIODFaultState.OfDevice {
    mutating func apply(_ action: IIODFault.Action, serial: UInt64) {
        switch action {
        case .partialChunks(let count): chunk = max(0, count)
        case .streamError(let number): failure = (IIODStatus(number), serial)
        case .stall:
            isStalled = true
            stallCount += 1
        case .resume: isStalled = false
        case .refuseOpen(let number): openError = number
        case .attributeError(let name, let number): attributeErrors[name ?? ""] = number
        case .unplug(let number):
            unplugged = number
            failure = (.noDevice, serial)
        case .replug: unplugged = nil
        case .wrongLengths(let bytes): lengthError = bytes
        case .delay, .drop, .kill, .restart: break
        }
    }
}
