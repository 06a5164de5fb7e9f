// SPDX-License-Identifier: Apache-2.0

#if LibIIO
import CLibIIO
import DeviceCore
import SystemCalls

/// The libiio C library, versions 0.24 to 0.26.
struct LibIIO: IIOLibrary {
    func open(_ address: MotionSourceAddress) throws(IIOFailure) -> any IIOConnection {
        let server = try DescriptionSizeCheck.check(address)
        XMLErrorOutput.disable()
        // libiio 0.24 overwrites the colon before the port with NUL, so each call needs its own copy of the address.
        var uri = Array(Self.uri(of: address).utf8CString)
        var error: Int32 = 0
        let pointer = uri.withUnsafeMutableBufferPointer { dsiio_open($0.baseAddress, &error) }
        guard let pointer else { throw IIOFailure("iio_create_context_from_uri", error) }
        return LibIIOConnection(pointer, address: address, server: server)
    }

    /// Replaces localhost with 127.0.0.1, because libiio resolves localhost only from /etc/hosts.
    static func uri(of address: MotionSourceAddress) -> String {
        guard address.backend == .network, let host = DescriptionSizeCheck.hostAndPort(address.target)?.host,
            Sockets.isLocalhost(host)
        else { return address.description }
        return "ip:127.0.0.1\(address.target.dropFirst(host.count))"
    }

    func devices(at address: MotionSourceAddress) -> [String]? {
        guard address.backend == .local else { return nil }
        // The directory does not exist if the kernel does not support IIO.
        return (SysfsDirectory.names(SysfsDirectory.devices) ?? []).filter {
            $0.hasPrefix("iio:device") || $0.hasPrefix("trigger")
        }
    }

    private static let clocks = [
        "realtime": CLOCK_REALTIME, "realtime_coarse": CLOCK_REALTIME_COARSE, "monotonic": CLOCK_MONOTONIC,
        "monotonic_coarse": CLOCK_MONOTONIC_COARSE, "monotonic_raw": CLOCK_MONOTONIC_RAW, "boottime": CLOCK_BOOTTIME,
        "tai": CLOCK_TAI,
    ]

    func time(of clock: String) -> Int64? { Self.clocks[clock].flatMap { systemTime($0) } }
}

/// Disables the error output of libxml2, which libiio uses to parse descriptions. libxml2 would print invalid
/// descriptions, including control characters. libiio reports the error in any case.
private enum XMLErrorOutput {
    private typealias Handler = @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>?) -> Void
    private typealias SetHandler = @convention(c) (UnsafeMutableRawPointer?, Handler?) -> Void

    private static let setHandler = dlsym(nil, "xmlSetGenericErrorFunc").map { unsafeBitCast($0, to: SetHandler.self) }

    /// Affects only the calling thread, because libxml2 has a separate handler for each thread.
    static func disable() { setHandler?(nil) { _, _ in } }
}
#else
import DeviceCore

struct NoLibrary: IIOLibrary {
    static let error = DeviceError(
        .notSupported,
        "Motion sensors need libiio, and this program was built without the trait LibIIO. Install libiio-dev and build with the trait, which is on by default."
    )

    func open(_ address: MotionSourceAddress) throws(IIOFailure) -> any IIOConnection {
        // ENOSYS
        throw IIOFailure("iio_create_context_from_uri", 38)
    }

    func devices(at address: MotionSourceAddress) -> [String]? { nil }

    func time(of clock: String) -> Int64? { nil }
}
#endif
