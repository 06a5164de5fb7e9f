// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// The hop from a source's thread to the place where the app wants its callbacks.
public protocol Delivery: AnyObject, Sendable {
    /// Runs the work in that place, after all that was scheduled before, and never inside this call.
    func schedule(_ work: @escaping @Sendable () -> Void)
}
