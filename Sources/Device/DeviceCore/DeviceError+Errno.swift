// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import SystemCalls

extension DeviceError {
    /// The system's words for an error number, with the number.
    package static func text(errno number: Int32) -> String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
            buffer.initialize(repeating: 0)
            guard let start = buffer.baseAddress else { return "error \(number)" }
            guard strerror_r(number, start, buffer.count) == 0 else { return "error \(number)" }
            return "\(String(cString: start)), error \(number)"
        }
    }
}
