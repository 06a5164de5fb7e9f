// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// What the configuration says of a program's wish to use the position.
public enum LocationRule: String, Sendable {
    /// Undetermined until the first request or the first start, either of which is granted. The default.
    case grant
    /// Undetermined until the first request, which is granted; starting alone is not a request.
    case ask
    /// Granted as "always" from the start.
    case always
    /// Granted as "when in use" from the start.
    case whenInUse
    /// Denied.
    case deny
    /// Not to be had on this machine, whoever asks.
    case restrict
}
