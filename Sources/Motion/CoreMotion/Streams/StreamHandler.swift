// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation

/// A program's handler and the place where it wants to be called.
///
/// Unchecked because handlers are not Sendable: they are only called where the program asked for it, one call at a time.
final class StreamHandler<Value>: @unchecked Sendable {
    let delivery: any Delivery
    let take: (Value) -> Void
    let fail: (any Error) -> Void

    init(delivery: any Delivery, take: @escaping (Value) -> Void, fail: @escaping (any Error) -> Void) {
        self.delivery = delivery
        self.take = take
        self.fail = fail
    }
}
