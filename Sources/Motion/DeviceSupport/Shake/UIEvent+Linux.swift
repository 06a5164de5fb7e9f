// SPDX-License-Identifier: Apache-2.0

/// What Apple's API has no words for.
extension UIEvent {
    /// The reading of the accelerometer that brought the event about, with no accelerometer started by the program; nil
    /// for an event that the program made itself.
    ///
    /// A shake from side to side and one up and down can be told apart by what has changed between began and ended.
    public var acceleration: UIAcceleration? { sample?.object }
}
