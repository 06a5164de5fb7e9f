// SPDX-License-Identifier: Apache-2.0

/// What Apple's API has no words for.
extension UIEvent {
    /// The accelerometer reading that caused the event, also when the program has started no accelerometer; nil for an
    /// event that the program made itself.
    ///
    /// The change between began and ended tells a shake from side to side from one up and down.
    public var acceleration: UIAcceleration? { sample?.object }
}
