// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// One request as gpsd 3.22 takes it.
enum GPSDCommand {
    case version
    case devices
    case poll
    /// With an object the policy is changed already; the fault is what was wrong with it.
    case watch(isChange: Bool, fault: String?)
    /// Every DEVICE is asked for; with a configuration the one of that path.
    case device(path: [UInt8]?, isConfiguration: Bool, fault: String?)
    /// Something else, and all that stood behind it.
    case unrecognized(ArraySlice<UInt8>)
}
