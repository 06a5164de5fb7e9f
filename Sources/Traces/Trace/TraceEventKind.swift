// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// A kind of event that is not played, and how many there were.
struct TraceEventKind: Sendable {
    /// The key of the events' contents.
    var name: String
    /// The key as one number; 0 when it is longer than eight bytes.
    var word: UInt64
    var count: Int
}
