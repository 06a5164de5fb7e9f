// SPDX-License-Identifier: Apache-2.0

/// Additions to Apple's API.
extension UIEvent {
    /// The accelerometer reading that caused the event, even if the app has not started the accelerometer; nil for an
    /// event that the app has created.
    ///
    /// The change between the beginning and the end distinguishes side-to-side shaking from up-and-down shaking.
    public var acceleration: UIAcceleration? { sample?.object }
}
