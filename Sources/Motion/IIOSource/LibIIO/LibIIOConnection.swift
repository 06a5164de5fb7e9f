// SPDX-License-Identifier: Apache-2.0

#if LibIIO
import CLibIIO
import DeviceCore
import IIOFormat
import Synchronization
import SystemCalls

/// A context of libiio.
///
/// Unchecked: the pointers never change while it lives, and libiio keeps attribute calls of several threads apart.
/// Buffers of one device are made by one thread at a time.
final class LibIIOConnection: IIOConnection, @unchecked Sendable {
    let context: IIOContext

    private let pointer: OpaquePointer
    private let devices: [OpaquePointer]
    private let channels: [[OpaquePointer]]
    /// Where the server has answered; nil where only libiio reads.
    private let server: ServerPlace?
    private let habits = ServerHabits()
    private let isLocal: Bool
    /// How many refills libiio has the kernel keep when it is not told.
    private static let usualKernelBuffers = 4
    /// The error after which a server's answers are out of step with the questions; 0 while all is well.
    private let breakage = Atomic<Int32>(0)

    init(_ pointer: OpaquePointer, address: MotionSourceAddress, server: ServerPlace?) {
        self.pointer = pointer
        self.server = server
        isLocal = address.backend == .local
        let description = LibIIODescription(pointer)
        devices = description.devices
        channels = description.channels
        context = description.context
    }

    deinit { iio_context_destroy(pointer) }

    /// Keeps from asking a server that did not answer in time: what it answers later would be taken for the answer to the
    /// next question. Only a new context is in step again.
    private func inStep<Result>(_ body: () throws(IIOFailure) -> Result) throws(IIOFailure) -> Result {
        let number = breakage.load(ordering: .relaxed)
        guard number == 0 else { throw IIOFailure("ask a server that did not answer", number) }
        do throws(IIOFailure) {
            return try body()
        } catch {
            // A driver may say that its bus has timed out; libiio says EPIPE for its own time-outs.
            if !isLocal, error.isConnectionLoss, error.number != ETIMEDOUT {
                breakage.store(error.number, ordering: .relaxed)
            }
            throw error
        }
    }

    private func device(_ place: Int, _ call: String) throws(IIOFailure) -> OpaquePointer {
        guard devices.indices.contains(place) else { throw IIOFailure(call, ENODEV) }
        return devices[place]
    }

    private func channel(_ device: Int, _ place: Int, _ call: String) throws(IIOFailure) -> OpaquePointer {
        guard channels.indices.contains(device), channels[device].indices.contains(place) else {
            throw IIOFailure(call, ENODEV)
        }
        return channels[device][place]
    }

    // MARK: Attributes

    func read(_ place: IIOPlace) throws(IIOFailure) -> String {
        try inStep { () throws(IIOFailure) -> String in
            switch place {
            case .device(let device, let name):
                let call = "iio_device_attr_read"
                let pointer = try self.device(device, call)
                return try LibIIOText.read(call) { iio_device_attr_read(pointer, name, $0, $1) }
            case .channel(let device, let channel, let name):
                let call = "iio_channel_attr_read"
                let pointer = try self.channel(device, channel, call)
                return try LibIIOText.read(call) { iio_channel_attr_read(pointer, name, $0, $1) }
            }
        }
    }

    func write(_ value: String, to place: IIOPlace) throws(IIOFailure) {
        try inStep { () throws(IIOFailure) in
            let result: Int
            switch place {
            case .device(let device, let name):
                result = iio_device_attr_write(try self.device(device, "iio_device_attr_write"), name, value)
            case .channel(let device, let channel, let name):
                let pointer = try self.channel(device, channel, "iio_channel_attr_write")
                result = iio_channel_attr_write(pointer, name, value)
            }
            guard result >= 0 else { throw IIOFailure("write \(place.name)", returned: result) }
        }
    }

    func isWritable(_ place: IIOPlace) -> Bool {
        guard isLocal, let path = path(of: place) else { return true }
        return access(path, W_OK) == 0
    }

    func isNodeAccessible(_ device: Int) -> Bool {
        guard isLocal, context.devices.indices.contains(device) else { return false }
        return access("/dev/\(context.devices[device].id)", R_OK | W_OK) == 0
    }

    /// The file of an attribute of this machine.
    private func path(of place: IIOPlace) -> String? {
        switch place {
        case .device(let device, let name): return folder(of: device).map { "\($0)/\(name)" }
        case .channel(let device, let channel, let name):
            guard let folder = folder(of: device), context.devices[device].channels.indices.contains(channel),
                let attribute = context.devices[device].channels[channel].attribute(name)
            else { return nil }
            return "\(folder)/\(attribute.filename)"
        }
    }

    // MARK: Triggers

    func trigger(of device: Int) throws(IIOFailure) -> IIOTriggerState {
        try inStep { () throws(IIOFailure) -> IIOTriggerState in
            let call = "iio_device_get_trigger"
            var trigger: OpaquePointer?
            let result = iio_device_get_trigger(try self.device(device, call), &trigger)
            // One that was made after the context: set all the same.
            if result == -ENXIO { return .set(nil) }
            // libiio 0.24 returns -EIO for the empty `current_trigger` of a device without a trigger, locally and in iiod.
            if result == -EIO { return .none }
            guard result >= 0 else { throw IIOFailure(call, returned: Int(result)) }
            return trigger.map { trigger in .set(devices.firstIndex(of: trigger)) } ?? .none
        }
    }

    func setTrigger(_ trigger: Int, of device: Int) throws(IIOFailure) {
        try inStep { () throws(IIOFailure) in
            let call = "iio_device_set_trigger"
            let result = iio_device_set_trigger(try self.device(device, call), try self.device(trigger, call))
            guard result >= 0 else { throw IIOFailure(call, returned: Int(result)) }
        }
    }

    func parent(of device: Int) -> String? {
        guard isLocal, let folder = folder(of: device), let real = SysfsFolder.real(folder),
            let slash = real.lastIndex(of: "/")
        else { return nil }
        return String(real[..<slash])
    }

    func timerTrigger(for device: Int, rate: Double) throws(IIOFailure) -> any IIOHold {
        guard isLocal, context.devices.indices.contains(device) else {
            throw IIOFailure("make a timer trigger", ENOSYS)
        }
        return try TimerTrigger(device: context.devices[device].id, rate: rate)
    }

    // MARK: Presence

    private func folder(of device: Int) -> String? {
        context.devices.indices.contains(device) ? SysfsFolder.device(context.devices[device].id) : nil
    }

    func udevProperty(_ name: String, of device: Int) -> String? {
        guard isLocal, let folder = folder(of: device) else { return nil }
        return UdevDatabase.property(name, device: context.devices[device].id, node: SysfsFolder.read("\(folder)/dev"))
    }

    func isPresent(_ device: Int) -> Bool {
        guard isLocal, let folder = folder(of: device) else { return true }
        return access(folder, F_OK) == 0
    }

    func lock(_ device: Int) throws(IIOFailure) -> (any IIOHold)? {
        guard isLocal, let folder = folder(of: device) else { return nil }
        do throws(IIOFailure) {
            return try DeviceLock(folder: folder)
        } catch {
            // Only another's lock is a reason to stay away.
            guard error.number == EBUSY else { return nil }
            throw error
        }
    }

    // MARK: Readings

    func openBuffer(
        device: Int, channels wanted: [Int], samples: Int, kernelBuffers: Int, timeout: Double
    ) throws(IIOFailure) -> any IIOBuffer {
        guard devices.indices.contains(device), channels.indices.contains(device) else {
            throw IIOFailure("iio_device_create_buffer", ENODEV)
        }
        if isLocal { try Self.probe("/dev/\(context.devices[device].id)") }
        for (index, channel) in channels[device].enumerated() {
            if wanted.contains(index) {
                iio_channel_enable(channel)
            } else if iio_channel_is_enabled(channel) {
                iio_channel_disable(channel)
            }
        }
        return try inStep { () throws(IIOFailure) -> any IIOBuffer in
            // The limit of a network context reaches the server, which must not wait for ever for a client that has gone.
            let seconds = min(max(isLocal ? 0 : 1, timeout), 86_400)
            _ = iio_context_set_timeout(pointer, UInt32(seconds * 1000))
            // Kernels and servers that cannot do so keep libiio's number.
            let isSet = iio_device_set_kernel_buffers_count(devices[device], UInt32(clamping: kernelBuffers)) == 0
            let kernelBuffers = isSet ? kernelBuffers : Self.usualKernelBuffers
            let step = iio_device_get_sample_size(devices[device])
            // A host that only libiio finds, by multicast, is left to it.
            if step > 0, let socket = server?.connect() {
                return try ServerBuffer(
                    socket, device: context.devices[device], channels: wanted, step: step, samples: samples,
                    kernelBuffers: kernelBuffers, habits: habits)
            }
            guard isLocal, let folder = folder(of: device) else {
                let buffer = try createBuffer(devices[device], samples)
                return LibIIOBuffer(buffer, connection: self, kernelBuffers: kernelBuffers)
            }
            let (exitAction, buffer) = try ExitActions.shared.add {
                _ = SysfsFolder.write("0", to: "\(folder)/buffer/enable")
            } change: { () throws(IIOFailure) in
                try createBuffer(devices[device], samples)
            }
            return LibIIOBuffer(buffer, connection: self, kernelBuffers: kernelBuffers, exitAction: exitAction)
        }
    }

    private func createBuffer(_ device: OpaquePointer, _ samples: Int) throws(IIOFailure) -> OpaquePointer {
        var error: Int32 = 0
        return try LibIIOMessages.logged { () throws(IIOFailure) in
            guard let buffer = dsiio_open_buffer(device, max(1, samples), &error) else {
                throw IIOFailure("iio_device_create_buffer", error)
            }
            return buffer
        }
    }

    /// Opens and closes the device node: fails as libiio would.
    ///
    /// libiio 0.24 switches the capture of another program off before it learns that the node is busy.
    private static func probe(_ node: String) throws(IIOFailure) {
        let descriptor = open(node, O_RDWR | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { throw IIOFailure("open \(node)", errno) }
        close(descriptor)
    }

    func openPoll(device: Int, channels wanted: [(channel: Int, attribute: String)]) throws(IIOFailure) -> any IIOPoll {
        guard context.devices.indices.contains(device) else { throw IIOFailure("open", ENODEV) }
        guard isLocal, let folder = folder(of: device) else {
            return LibIIOPoll(self, places: wanted.map { .channel(device, $0.channel, $0.attribute) })
        }
        var paths: [String] = []
        for (channel, name) in wanted {
            let all = context.devices[device].channels
            guard all.indices.contains(channel), let attribute = all[channel].attribute(name) else {
                throw IIOFailure("open \(name)", ENOENT)
            }
            paths.append("\(folder)/\(attribute.filename)")
        }
        return try SysfsPoll(paths: paths)
    }
}
#endif
