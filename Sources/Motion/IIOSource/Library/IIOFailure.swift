// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import SystemCalls

/// A call of libiio, or of the system for it, that failed.
struct IIOFailure: Error, Equatable {
    /// The function.
    let call: String
    /// The error number, positive.
    let number: Int32
    /// The program that has the lock of the device, such as "sensorctl (process 1234)"; nil for any other failure.
    let holder: String?

    init(_ call: String, _ number: Int32, holder: String? = nil) {
        self.call = call
        self.number = number
        self.holder = holder
    }

    /// A failure from what a function of libiio returned, a negative error number.
    init(_ call: String, returned code: Int) { self.init(call, Int32(clamping: code.magnitude)) }
}

extension IIOFailure {
    /// What was being done when the call failed.
    enum Task: Equatable {
        case open(MotionSourceAddress)
        case capture(device: String, triggers: [String], address: MotionSourceAddress)
        case stream(device: String, address: MotionSourceAddress)
        case poll(device: String, address: MotionSourceAddress)
    }

    /// The failure in words that say what to do.
    func error(_ task: Task) -> DeviceError {
        let (code, message) = words(task)
        return DeviceError(code, message, cause: .system(call: call, errno: number))
    }

    /// True when the server or the device behind a network or USB context is gone or does not answer.
    var isConnectionLoss: Bool {
        [EPIPE, ECONNRESET, ETIMEDOUT, ECONNREFUSED, EHOSTUNREACH, ENETUNREACH, ENOTCONN, ECONNABORTED, ENETDOWN]
            .contains(number)
    }

    /// True when the device is not there any more.
    var isGone: Bool { [ENODEV, ENOENT, ENXIO].contains(number) }

    /// True when somebody is in the way: another user, or the lack of a right.
    var isRefusal: Bool { [EBUSY, EACCES, EPERM].contains(number) }

    /// A device that has gone without a call that would say so.
    static func gone(_ device: String) -> IIOFailure { IIOFailure("look for \(device)", ENODEV) }

    /// A capture that gives nothing.
    static let silence = IIOFailure("iio_buffer_refill", ETIMEDOUT)

    /// An attribute that holds no number.
    static func noNumber(_ name: String) -> IIOFailure { IIOFailure("read \(name)", EIO) }

    private func words(_ task: Task) -> (DeviceError.Code, String) {
        switch task {
        case .open(let address): openWords(address)
        case .capture(let device, let triggers, let address): captureWords(device, triggers, address)
        case .stream(let device, let address): streamWords(device, address)
        case .poll(let device, let address): pollWords(device, address)
        }
    }

    private func openWords(_ address: MotionSourceAddress) -> (DeviceError.Code, String) {
        switch number {
        case ENOSYS, EPROTONOSUPPORT, EINVAL:
            return (
                .notSupported,
                "This libiio cannot open \(address). Check the address in DEVICE_SERVICES_IIO; serial: and usb: need a libiio that was built with them."
            )
        case EACCES, EPERM:
            return (
                .permissionDenied,
                "\(address) may not be opened by this user. Give the user's group access by a udev rule, or run as a user who has it."
            )
        case _ where address.backend == .local && (number == ENOENT || number == ENODEV):
            return (.notFound, "This machine has no IIO devices. Check that their kernel drivers are loaded.")
        case ENOENT, ENODEV, ENXIO:
            return (.notFound, "There is nothing at \(address). Check the address in DEVICE_SERVICES_IIO.")
        case EBUSY:
            return (.busy, "\(address) is in use by another program. It is tried again.")
        case EFBIG:
            return (
                .notSupported,
                "\(address) announces a description of its devices that is larger than any is, and was not asked for it. Check that it is an iiod; it is tried again."
            )
        default:
            return (
                .unreachable,
                "\(address) does not answer. Check that iiod runs there, that the address and port are right, and that no firewall is in the way; it is tried again until it answers."
            )
        }
    }

    private func captureWords(
        _ device: String, _ triggers: [String], _ address: MotionSourceAddress
    ) -> (DeviceError.Code, String) {
        let node = "/dev/\(device)"
        let isLocal = address.backend == .local
        if let holder {
            return (
                .busy,
                "\(node) is in use by \(holder), and the kernel lets only one program capture. It is used when that program ends. If you need both, run iiod and set DEVICE_SERVICES_IIO=ip:localhost for both."
            )
        }
        switch number {
        case EBUSY:
            return (
                .busy,
                "\(isLocal ? node : "\(device) at \(address)") is in use by another program, such as iiod or iio-sensor-proxy. Stop that one\(isLocal ? " (fuser -v \(node) names it), or read through it with ip:localhost" : ""); it is tried again."
            )
        case EACCES, EPERM:
            return (
                .permissionDenied,
                "\(node) and its settings may be used by root only. Install a udev rule for a group of this user's, for example SUBSYSTEM==\"iio\", KERNEL==\"iio:device*\", GROUP=\"iio\", MODE=\"0660\", RUN+=\"/bin/sh -c 'chgrp -R iio /sys%p && chmod -R g=u /sys%p'\", add the user to that group, and plug the device in again or run udevadm trigger."
            )
        case EINVAL where !triggers.isEmpty:
            return (
                .notFound,
                "\(device) at \(address) gives samples only by a trigger, and has none: looked for \(triggers.joined(separator: " and ")). Name one in the setting \"trigger\" of this sensor, or load iio-trig-hrtimer and run as root, so that one can be made."
            )
        case EINVAL:
            return (
                .notSupported,
                "The driver of \(device) at \(address) refuses to capture these channels. See the kernel's log (dmesg); the setting \"polled\" of this sensor reads it without a buffer."
            )
        case ENOENT, ENODEV, ENXIO:
            return (.notFound, "\(device) at \(address) is gone, or it cannot capture. It is looked for again.")
        default:
            return streamWords(device, address)
        }
    }

    private func streamWords(_ device: String, _ address: MotionSourceAddress) -> (DeviceError.Code, String) {
        switch number {
        case ENODEV, ENOENT, ENXIO:
            return (.connectionLost, "\(device) at \(address) has been removed. Its readings go on when it is back.")
        case ETIMEDOUT:
            return (
                .silent,
                "\(device) at \(address) gives no samples. Check \(address.backend == .network ? "the network and the server, and the device's" : "its") trigger and interrupt line; it is started again."
            )
        case _ where isConnectionLoss:
            return (
                .connectionLost,
                "The server at \(address) has closed the connection or stopped answering. It is tried again until it answers."
            )
        case EBUSY:
            return (.busy, "\(device) at \(address) is in use by another program. It is tried again.")
        default:
            return (
                .inputOutput,
                "Reading \(device) at \(address) failed. See the kernel's log (dmesg) there; it is tried again. If that does not help, unbind and bind its driver, the target of /sys/bus/iio/devices/\(device)/../driver."
            )
        }
    }

    private func pollWords(_ device: String, _ address: MotionSourceAddress) -> (DeviceError.Code, String) {
        switch number {
        case EACCES, EPERM:
            return (
                .permissionDenied,
                "The readings of \(device) in /sys/bus/iio/devices/\(device) may not be read by this user. Give the user's group access by a udev rule."
            )
        case EBUSY:
            return (
                .busy,
                "\(device) at \(address) is capturing for another program, such as iiod, and cannot be read meanwhile. Stop that one; it is tried again."
            )
        default: return streamWords(device, address)
        }
    }
}
