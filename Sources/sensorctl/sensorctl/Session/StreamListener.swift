// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// What `watch` and `replay` listen with: starts updates of one stream and hands each to a printer. Used on the main
/// thread.
protocol StreamListener: AnyObject {
    /// The updates that were printed.
    var count: Int { get }
    /// True when as many have come as were wanted.
    var isComplete: Bool { get }

    func start()
    func end()
}
