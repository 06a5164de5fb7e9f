// SPDX-License-Identifier: Apache-2.0

/// How near a beacon is. See ``CLBeacon/proximity`` for the distances.
public enum CLProximity: Int, Sendable {
    /// Not known.
    case unknown = 0

    /// Within touch.
    case immediate = 1

    /// A few metres away.
    case near = 2

    /// Farther than that.
    case far = 3
}
