// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// How exactly the program may know where it is.
public enum CLAccuracyAuthorization: Int, Sendable {
    /// As exactly as the sources tell.
    case fullAccuracy = 0

    /// Only roughly, and seldom.
    case reducedAccuracy = 1
}
