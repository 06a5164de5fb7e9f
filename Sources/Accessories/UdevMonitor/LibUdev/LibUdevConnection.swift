// SPDX-License-Identifier: Apache-2.0

#if LibUdev
import AccessoryFinding
import CLibUdev
import DeviceCore
import SystemCalls

/// Receives device messages through libudev. libudev objects must be used on a single thread.
final class LibUdevConnection: UdevConnection {
    /// The default size of the receive buffer, in bytes. The kernel allocates the memory only as needed.
    static let defaultReceiveBuffer = 128 * 1024 * 1024

    let problem: DeviceError?
    private let validator: MessageValidator
    private let buffer: UnsafeMutableRawBufferPointer
    private let context: OpaquePointer
    private let monitor: OpaquePointer?
    private let selections: [UdevSelection]
    private let reader: LibUdevReader

    init(_ group: UdevGroup, selections: [UdevSelection], receiveBuffer: Int?) throws(DeviceError) {
        var error: Int32 = 0
        guard let context = dsudev_open(&error) else {
            throw DeviceError(
                .busy, "libudev could not be opened: the system is out of memory.",
                cause: .system(call: "udev_new", errno: error))
        }
        validator = MessageValidator(group, selections)
        buffer = .allocate(byteCount: MessageValidator.maximumLength, alignment: 16)
        self.context = context
        self.selections = selections
        reader = LibUdevReader(selections)
        monitor = Self.monitor(context, group, selections, receiveBuffer, &error)
        problem = monitor != nil ? nil : Self.monitorError(error)
    }

    deinit {
        buffer.deallocate()
        if let monitor { udev_monitor_unref(monitor) }
        udev_unref(context)
    }

    var descriptor: Int32? { monitor.map { udev_monitor_get_fd($0) } }

    func receive() -> UdevMessage {
        guard let monitor else { return .none }
        if let rejection = rejectNextMessage(udev_monitor_get_fd(monitor)) { return rejection }
        var error: Int32 = 0
        guard let device = dsudev_receive(monitor, &error) else { return Self.message(error) }
        defer { udev_device_unref(device) }
        guard let path = LibUdevReader.path(of: device),
            let action = udev_device_get_action(device).map(String.init(cString:))
        else { return .unusable }
        if action == "remove" { return .removed(path: path) }
        // `reader` checks the selections too, because older versions of libudev may not filter kernel messages by
        // device type.
        guard let (record, exists) = reader.record(of: device, path: path) else { return .none }
        if action == "move", let former = LibUdevReader.previousPath(of: device) { return .moved(from: former, record) }
        return .updated(record, isAdd: action == "add", exists: exists)
    }

    /// Peeks at the next message without receiving it. If the message is invalid or matches no selection, discards it
    /// and returns the reason. Returns `nil` if libudev can safely receive the message.
    private func rejectNextMessage(_ descriptor: Int32) -> UdevMessage? {
        let flags = Int32(MSG_PEEK) | Int32(MSG_TRUNC) | Int32(MSG_DONTWAIT)
        let length = recv(descriptor, buffer.baseAddress, buffer.count, flags)
        guard length >= 0 else { return errno == ENOTSOCK ? nil : Self.message(errno) }
        // A length of 0 means that the descriptor now refers to another kind of socket, and that its peer has closed
        // the connection. Such a socket remains readable forever.
        guard length > 0 else {
            recv(descriptor, buffer.baseAddress, 1, Int32(MSG_DONTWAIT))
            return .failed(errno: ECONNRESET)
        }
        let result =
            length <= buffer.count ? validator.validate(UnsafeRawBufferPointer(rebasing: buffer[..<length])) : .tooLong
        if case .valid = result { return nil }
        // Reading one byte discards the entire message.
        recv(descriptor, buffer.baseAddress, 1, Int32(MSG_DONTWAIT))
        return switch result {
        case .notSelected: .foreign
        case .tooLong: .tooLong
        default: .unusable
        }
    }

    private static func message(_ error: Int32) -> UdevMessage {
        switch error {
        case EAGAIN, EINTR: .none
        case ENOBUFS: .overflow
        case EBADF, ENOTCONN, ENOTSOCK, ENOMEM, ENFILE, EMFILE, EPIPE, ECONNRESET: .failed(errno: error)
        default: .unusable
        }
    }

    func devices() throws(DeviceError) -> [UdevRecord] {
        guard let list = udev_enumerate_new(context) else {
            throw DeviceError(.busy, "Devices cannot be listed: the system is out of memory.")
        }
        defer { udev_enumerate_unref(list) }
        for subsystem in Set(selections.map(\.subsystem)) { udev_enumerate_add_match_subsystem(list, subsystem) }
        let result = udev_enumerate_scan_devices(list)
        guard result >= 0 else { throw Self.listingError("udev_enumerate_scan_devices", -result) }
        reader.attributes.resourceError = nil
        var records: [UdevRecord] = []
        var entry = udev_enumerate_get_list_entry(list)
        while let current = entry {
            entry = udev_list_entry_get_next(current)
            guard let name = udev_list_entry_get_name(current) else { continue }
            var error: Int32 = 0
            guard let device = dsudev_device(context, name, &error) else {
                // Any error other than a lack of resources means that the device was removed during the scan, so it is
                // skipped.
                guard AttributeReader.isResourceError(error) else { continue }
                throw Self.listingError("udev_device_new_from_syspath", error)
            }
            defer { udev_device_unref(device) }
            guard let path = LibUdevReader.path(of: device), let (record, _) = reader.record(of: device, path: path)
            else { continue }
            records.append(record)
            // If a lack of resources prevented an attribute from being read, the record is incomplete and could be
            // mistaken for a different device's record.
            if let error = reader.attributes.resourceError { throw Self.listingError("open", error) }
        }
        return records
    }

    private static func setReceiveBuffer(_ descriptor: Int32, _ bytes: Int) {
        // The kernel doubles this value, so it is limited to half the maximum to prevent overflow.
        let size = Int32(clamping: min(max(bytes, 1), Int(Int32.max) / 2))
        // SO_RCVBUFFORCE ignores the system's limit, but requires CAP_NET_ADMIN.
        if !Sockets.setOption(descriptor, level: SOL_SOCKET, name: SO_RCVBUFFORCE, value: size) {
            Sockets.setOption(descriptor, level: SOL_SOCKET, name: SO_RCVBUF, value: size)
        }
    }

    private static func monitor(
        _ context: OpaquePointer, _ group: UdevGroup, _ selections: [UdevSelection], _ receiveBuffer: Int?,
        _ error: inout Int32
    ) -> OpaquePointer? {
        guard let monitor = dsudev_open_monitor(context, group.rawValue, &error) else { return nil }
        for selection in selections {
            udev_monitor_filter_add_match_subsystem_devtype(monitor, selection.subsystem, selection.type)
        }
        // The buffer size must be set before messages can arrive.
        setReceiveBuffer(udev_monitor_get_fd(monitor), receiveBuffer ?? defaultReceiveBuffer)
        let result = udev_monitor_enable_receiving(monitor)
        guard result >= 0 else {
            error = -result
            udev_monitor_unref(monitor)
            return nil
        }
        return monitor
    }

    private static func listingError(_ call: String, _ error: Int32) -> DeviceError {
        let (code, remedy): (DeviceError.Code, String) =
            switch error {
            case EMFILE, ENFILE: (.busy, "too many files are open. Raise the limit (ulimit -n).")
            case ENOMEM, ENOBUFS: (.busy, "the system is out of memory.")
            case EACCES, EPERM: (.permissionDenied, "this program may not read /sys.")
            default: (.notSupported, "/sys cannot be read. Mount sysfs there.")
            }
        return DeviceError(code, "Devices cannot be listed: \(remedy)", cause: .system(call: call, errno: error))
    }

    private static func monitorError(_ error: Int32) -> DeviceError {
        let remedy =
            switch error {
            case EMFILE, ENFILE: "Raise the limit of open files (ulimit -n)."
            case ENOMEM, ENOBUFS: "The system is out of memory."
            default: "Allow this program to use netlink sockets of the family NETLINK_KOBJECT_UEVENT."
            }
        return DeviceError(
            .notSupported,
            "The system does not report added and removed devices, so all devices are scanned every few seconds. \(remedy)",
            cause: .system(call: "udev_monitor_new_from_netlink", errno: error))
    }
}
#endif
