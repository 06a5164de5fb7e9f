// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// A call of libiio, or of the system for it, that failed.
struct IIOFailure: Error, Hashable {
    /// The function.
    let call: String
    /// The error number, positive.
    let number: Int32

    init(_ call: String, _ number: Int32) {
        self.call = call
        self.number = number
    }

    /// A failure from what a function of libiio returned, a negative error number.
    init(_ call: String, returned code: Int) {
        self.init(call, Int32(clamping: -code))
    }
}
