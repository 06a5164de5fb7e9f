// SPDX-License-Identifier: Apache-2.0

/// What a position can be told from as a receiver's report has it: Core Location's `CLLocation` is such a thing.
///
/// So `MQTTPublisher` publishes a location, and neither module needs the other.
public protocol PositionReporting {
    /// The report of it; one without a fix when there is no position in it.
    var positionReport: PositionReport { get }
}
