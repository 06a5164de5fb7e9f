// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

#if !LibIIO
import DeviceCore

/// What stands in for libiio in a build without it.
struct NoLibrary: IIOLibrary {
    /// What subscribers hear.
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
