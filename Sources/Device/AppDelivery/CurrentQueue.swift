// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import Dispatch

/// Dispatch's C function; its Swift overlay leaves out the form that asks for the current queue.
@_silgen_name("dispatch_queue_get_label")
private func queueLabel(_ queue: OpaquePointer?) -> UnsafePointer<CChar>?

/// True on a thread that Dispatch lends to a queue.
///
/// On any other thread Dispatch answers with its default root queue of the overcommit kind, to which Swift programs
/// have no handle.
var isOnDispatchQueue: Bool {
    guard let label = queueLabel(nil) else { return false }
    return String(cString: label) != "com.apple.root.default-qos.overcommit"
}
