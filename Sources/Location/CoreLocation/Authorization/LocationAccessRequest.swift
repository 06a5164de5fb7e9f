// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// A program's wish to know where the device is, as a policy sees it.
public struct LocationAccessRequest: Sendable {
    /// What is wished for.
    public enum Kind: Sendable, Hashable {
        /// A service was started before anything was requested.
        case start
        /// `requestWhenInUseAuthorization()`, or a session that wants as much.
        case whenInUse
        /// `requestAlwaysAuthorization()`, or a session that wants as much.
        case always
        /// `requestTemporaryFullAccuracyAuthorization(withPurposeKey:)`.
        case temporaryFullAccuracy(purposeKey: String)
    }

    /// What is wished for.
    public let kind: Kind
    /// What the program says it is for: the manager's `purpose`, else the configured text; nil when nothing was said.
    public let purpose: String?
}
