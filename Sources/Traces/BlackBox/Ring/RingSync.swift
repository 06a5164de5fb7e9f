// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// When what was recorded is brought to the disk, and so how much a power failure takes.
///
/// A process that is killed loses at most half a second in any case: the system has the rest.
package enum RingSync: String, Sendable, CaseIterable {
    /// Each second: a power failure takes about two seconds. Flash memory is written most often.
    case eachSecond = "each-second"
    /// Each segment when it is full, an eighth of the ring: a power failure takes as much.
    case segment
    /// When the system pleases, mostly after half a minute.
    case never
}
