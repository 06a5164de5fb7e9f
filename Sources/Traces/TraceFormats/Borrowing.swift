// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore

extension [UInt8] {
    /// Calls the closure with the bytes. Typed errors do not pass through `withUnsafeBytes` on every platform that this
    /// has to build for.
    func borrowed<Value>(
        _ body: (UnsafeRawBufferPointer) throws(DeviceError) -> Value
    ) throws(DeviceError) -> Value {
        let result = withUnsafeBytes { bytes -> Result<Value, DeviceError> in
            do throws(DeviceError) {
                return .success(try body(bytes))
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }
}
