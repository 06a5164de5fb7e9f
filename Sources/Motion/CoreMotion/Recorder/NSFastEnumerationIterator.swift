// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// Goes through a list of recorded readings without types, as programs written for Apple's platforms do.
///
/// Foundation on Linux has no fast enumeration, while every program that uses `CMSensorDataList` names this type.
public struct NSFastEnumerationIterator: IteratorProtocol {
    private var iterator: CMSensorDataList.Items.Iterator

    /// Begins at the oldest reading of the list.
    public init(_ list: CMSensorDataList) {
        iterator = list.items.makeIterator()
    }

    /// The next reading, a `CMRecordedAccelerometerData`; nil at the end.
    public mutating func next() -> Any? {
        iterator.next()
    }
}
