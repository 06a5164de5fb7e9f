// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// The faults that are there now, and those that are still to come.
struct IIODFaultState: Sendable {
    /// What is wrong with one device.
    struct OfDevice: Sendable {
        var chunk = 0
        var isStalled = false
        /// The stalls so far.
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
    private var devices: [OfDevice]
    private var waiting: [(fault: IIODFault, device: Int?)] = []

    init(deviceCount: Int) {
        devices = Array(repeating: OfDevice(), count: deviceCount)
    }

    subscript(device: Int) -> OfDevice { devices[device] }

    /// Hands over what is to be done with the connections, once.
    mutating func takeOrders() -> Orders {
        defer { orders = Orders() }
        return orders
    }

    /// Adds a fault that is to come.
    mutating func add(_ fault: IIODFault, device: Int?) {
        waiting.append((fault, device))
    }

    /// The next time, in seconds since the first use, at which something happens.
    var nextTime: Double? {
        waiting.compactMap { if case .seconds(let time) = $0.fault.moment { time } else { nil } }.min()
    }

    /// The next sample of the device before which something happens.
    func nextSample(of device: Int) -> Int64? {
        guard !waiting.isEmpty else { return nil }
        return waiting.compactMap { entry in
            guard case .sample(let sample) = entry.fault.moment, entry.device == nil || entry.device == device else {
                return nil
            }
            return sample
        }.min()
    }

    /// Applies the faults whose moment the closure accepts; `serial` is the number of streams opened so far.
    mutating func apply(serial: UInt64, _ isDue: (IIODFault.Moment, _ device: Int?) -> Bool) -> Bool {
        guard !waiting.isEmpty else { return false }
        // In the order of their times, those of one time as they were given.
        let due = waiting.enumerated().filter { isDue($0.element.fault.moment, $0.element.device) }.sorted {
            (IIODFaultState.time($0.element.fault), $0.offset) < (IIODFaultState.time($1.element.fault), $1.offset)
        }
        guard !due.isEmpty else { return false }
        waiting.removeAll { isDue($0.fault.moment, $0.device) }
        for entry in due { apply(entry.element.fault.action, device: entry.element.device, serial: serial) }
        return true
    }

    private mutating func apply(_ action: IIODFault.Action, device: Int?, serial: UInt64) {
        switch action {
        case .delay(let seconds): delay = max(0, seconds)
        case .drop: orders.drops = true
        case .kill:
            orders.drops = true
            orders.isListening = false
        case .restart: orders.isListening = true
        default:
            for place in devices.indices where device == nil || device == place {
                devices[place].apply(action, serial: serial)
            }
        }
    }

    private static func time(_ fault: IIODFault) -> Double {
        if case .seconds(let time) = fault.moment { time } else { -1 }
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
