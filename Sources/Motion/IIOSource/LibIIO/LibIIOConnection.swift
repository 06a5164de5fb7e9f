// SPDX-License-Identifier: Apache-2.0

#if LibIIO
import CLibIIO
import DeviceCore
import IIOFormat
import Synchronization
import SystemCalls

/// A libiio context. `@unchecked Sendable` because the pointers are constant. libiio serializes attribute calls from
/// different threads. Only one thread at a time may create buffers for a device.
final class LibIIOConnection: IIOConnection, @unchecked Sendable {
    let context: IIOContext
    private let pointer: OpaquePointer
    /// The pointers to the devices and channels, with the same indices as in `context`.
    private let devices: [OpaquePointer]
    private let channels: [[OpaquePointer]]
    /// The address at which the server has responded. If it is nil, buffers are read through libiio.
    private let server: ServerAddress?
    private let capabilities = ServerCapabilities()
    private let isLocal: Bool
    private static let defaultKernelBuffers = 4
    /// The error number of the request during which the connection was lost, or 0. After this error, a response may
    /// belong to an earlier request.
    private let desynchronizationError = Atomic<Int32>(0)

    init(_ pointer: OpaquePointer, address: MotionSourceAddress, server: ServerAddress?) {
        self.pointer = pointer
        self.server = server
        isLocal = address.backend == .local
        let description = LibIIODescription(pointer)
        devices = description.devices
        channels = description.channels
        context = description.context
    }

    deinit { iio_context_destroy(pointer) }

    /// Runs a request. If the connection was lost or timed out during an earlier request, throws an error instead,
    /// because a late response could be mistaken for the response to this request. The caller must then open a new
    /// context.
    private func ifSynchronized<Result>(_ body: () throws(IIOFailure) -> Result) throws(IIOFailure) -> Result {
        let number = desynchronizationError.load(ordering: .relaxed)
        guard number == 0 else { throw IIOFailure("request after a failed request", number) }
        do throws(IIOFailure) {
            return try body()
        } catch {
            // ETIMEDOUT is not treated as a lost connection, because a driver also returns it if the sensor's bus times
            // out. If libiio itself times out, it returns EPIPE.
            if !isLocal, error.isConnectionLoss, error.number != ETIMEDOUT {
                desynchronizationError.store(error.number, ordering: .relaxed)
            }
            throw error
        }
    }

    private func device(_ index: Int, _ call: String) throws(IIOFailure) -> OpaquePointer {
        guard devices.indices.contains(index) else { throw IIOFailure(call, ENODEV) }
        return devices[index]
    }

    private func channel(_ device: Int, _ index: Int, _ call: String) throws(IIOFailure) -> OpaquePointer {
        guard channels.indices.contains(device), channels[device].indices.contains(index) else {
            throw IIOFailure(call, ENODEV)
        }
        return channels[device][index]
    }

    // MARK: Attributes

    func read(_ attributePath: IIOAttributePath) throws(IIOFailure) -> String {
        try ifSynchronized { () throws(IIOFailure) -> String in
            switch attributePath {
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

    func write(_ value: String, to attributePath: IIOAttributePath) throws(IIOFailure) {
        try ifSynchronized { () throws(IIOFailure) in
            let result: Int
            switch attributePath {
            case .device(let device, let name):
                result = iio_device_attr_write(try self.device(device, "iio_device_attr_write"), name, value)
            case .channel(let device, let channel, let name):
                let pointer = try self.channel(device, channel, "iio_channel_attr_write")
                result = iio_channel_attr_write(pointer, name, value)
            }
            guard result >= 0 else { throw IIOFailure("write \(attributePath.name)", returned: result) }
        }
    }

    func isWritable(_ attributePath: IIOAttributePath) -> Bool {
        guard isLocal, let path = path(of: attributePath) else { return true }
        return access(path, W_OK) == 0
    }

    func isNodeAccessible(_ device: Int) -> Bool {
        guard isLocal, context.devices.indices.contains(device) else { return false }
        return access("/dev/\(context.devices[device].id)", R_OK | W_OK) == 0
    }

    private func path(of attributePath: IIOAttributePath) -> String? {
        switch attributePath {
        case .device(let device, let name): return directory(of: device).map { "\($0)/\(name)" }
        case .channel(let device, let channel, let name):
            guard let folder = directory(of: device), context.devices[device].channels.indices.contains(channel),
                let attribute = context.devices[device].channels[channel].attribute(name)
            else { return nil }
            return "\(folder)/\(attribute.filename)"
        }
    }

    // MARK: Triggers

    func trigger(of device: Int) throws(IIOFailure) -> IIOTriggerState {
        try ifSynchronized { () throws(IIOFailure) -> IIOTriggerState in
            let call = "iio_device_get_trigger"
            var trigger: OpaquePointer?
            let result = iio_device_get_trigger(try self.device(device, call), &trigger)
            if result == -ENXIO { return .set(nil) }
            // libiio 0.24 returns -EIO for an empty `current_trigger`, both locally and in iiod.
            if result == -EIO { return .none }
            guard result >= 0 else { throw IIOFailure(call, returned: Int(result)) }
            return trigger.map { trigger in .set(devices.firstIndex(of: trigger)) } ?? .none
        }
    }

    func setTrigger(_ trigger: Int, of device: Int) throws(IIOFailure) {
        try ifSynchronized { () throws(IIOFailure) in
            let call = "iio_device_set_trigger"
            let result = iio_device_set_trigger(try self.device(device, call), try self.device(trigger, call))
            guard result >= 0 else { throw IIOFailure(call, returned: Int(result)) }
        }
    }

    func parent(of device: Int) -> String? {
        guard isLocal, let folder = directory(of: device), let real = SysfsDirectory.resolvedPath(folder),
            let slash = real.lastIndex(of: "/")
        else { return nil }
        return String(real[..<slash])
    }

    func timerTrigger(for device: Int, rate: Double) throws(IIOFailure) -> any IIOLease {
        guard isLocal, context.devices.indices.contains(device) else {
            throw IIOFailure("create a timer trigger", ENOSYS)
        }
        return try TimerTrigger(device: context.devices[device].id, rate: rate)
    }

    // MARK: Presence

    private func directory(of device: Int) -> String? {
        context.devices.indices.contains(device) ? SysfsDirectory.device(context.devices[device].id) : nil
    }

    func udevProperty(_ name: String, of device: Int) -> String? {
        guard isLocal, let folder = directory(of: device) else { return nil }
        return UdevDatabase.property(
            name, device: context.devices[device].id, node: SysfsDirectory.read("\(folder)/dev"))
    }

    func isPresent(_ device: Int) -> Bool {
        guard isLocal, let folder = directory(of: device) else { return true }
        return access(folder, F_OK) == 0
    }

    func lock(_ device: Int) throws(IIOFailure) -> (any IIOLease)? {
        guard isLocal, let folder = directory(of: device) else { return nil }
        do throws(IIOFailure) {
            return try DeviceLock(folder: folder)
        } catch {
            guard error.number == EBUSY else { return nil }
            throw error
        }
    }

    // MARK: Buffers and polling

    func openBuffer(
        device: Int, channels wanted: [Int], samples: Int, kernelBuffers: Int, timeout: Double
    ) throws(IIOFailure) -> any IIOBuffer {
        guard devices.indices.contains(device), channels.indices.contains(device) else {
            throw IIOFailure("iio_device_create_buffer", ENODEV)
        }
        if isLocal { try Self.checkNode("/dev/\(context.devices[device].id)") }
        for (index, channel) in channels[device].enumerated() {
            if wanted.contains(index) {
                iio_channel_enable(channel)
            } else if iio_channel_is_enabled(channel) {
                iio_channel_disable(channel)
            }
        }
        return try ifSynchronized { () throws(IIOFailure) -> any IIOBuffer in
            // libiio also sends the timeout to the server. Without a timeout, the server would wait indefinitely for a
            // client that has disconnected.
            let seconds = min(max(isLocal ? 0 : 1, timeout), 86_400)
            _ = iio_context_set_timeout(pointer, UInt32(seconds * 1000))
            // If the kernel or the server does not support this call, libiio's default number of buffers applies.
            let isSet = iio_device_set_kernel_buffers_count(devices[device], UInt32(clamping: kernelBuffers)) == 0
            let kernelBuffers = isSet ? kernelBuffers : Self.defaultKernelBuffers
            let step = iio_device_get_sample_size(devices[device])
            // Some hosts can be found only by libiio, through multicast DNS. Because their addresses are unknown here,
            // their buffers are also read through libiio.
            if step > 0, let socket = server?.connect() {
                return try ServerBuffer(
                    socket, device: context.devices[device], channels: wanted, step: step, samples: samples,
                    kernelBuffers: kernelBuffers, capabilities: capabilities)
            }
            guard isLocal, let folder = directory(of: device) else {
                let buffer = try createBuffer(devices[device], samples)
                return LibIIOBuffer(buffer, connection: self, kernelBuffers: kernelBuffers)
            }
            let (exitAction, buffer) = try ExitActions.shared.add {
                _ = SysfsDirectory.write("0", to: "\(folder)/buffer/enable")
            } change: { () throws(IIOFailure) in
                try createBuffer(devices[device], samples)
            }
            return LibIIOBuffer(buffer, connection: self, kernelBuffers: kernelBuffers, exitAction: exitAction)
        }
    }

    private func createBuffer(_ device: OpaquePointer, _ samples: Int) throws(IIOFailure) -> OpaquePointer {
        var error: Int32 = 0
        return try LibIIOMessages.withCapturedOutput { () throws(IIOFailure) in
            guard let buffer = dsiio_open_buffer(device, max(1, samples), &error) else {
                throw IIOFailure("iio_device_create_buffer", error)
            }
            return buffer
        }
    }

    /// Checks that the device node is not busy, because libiio 0.24 would disable another program's buffer.
    private static func checkNode(_ node: String) throws(IIOFailure) {
        let descriptor = open(node, O_RDWR | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { throw IIOFailure("open \(node)", errno) }
        close(descriptor)
    }

    func openPoll(device: Int, channels wanted: [(channel: Int, attribute: String)]) throws(IIOFailure) -> any IIOPoll {
        guard context.devices.indices.contains(device) else { throw IIOFailure("open", ENODEV) }
        let attributePaths = wanted.map { IIOAttributePath.channel(device, $0.channel, $0.attribute) }
        guard isLocal else { return LibIIOPoll(self, attributes: attributePaths) }
        var paths: [String] = []
        for attributePath in attributePaths {
            guard let path = path(of: attributePath) else { throw IIOFailure("open \(attributePath.name)", ENOENT) }
            paths.append(path)
        }
        return try SysfsPoll(paths: paths)
    }
}
#endif
