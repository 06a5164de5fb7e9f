// SPDX-License-Identifier: Apache-2.0

/// What Apple's API has no words for.
extension CMSensorDataList {
    /// The readings as a sequence with a type, made one by one.
    public var items: Items { Items(list: self) }

    /// The number of readings.
    public var count: Int { parts.reduce(0) { $0 + $1.indices.count } }

    /// The sequence of ``CMSensorDataList/items``.
    public struct Items: Sequence {
        let list: CMSensorDataList

        /// Begins at the oldest reading.
        public func makeIterator() -> Iterator { Iterator(list: list) }

        /// One way through the readings.
        public struct Iterator: IteratorProtocol {
            private let list: CMSensorDataList
            private var part = 0
            private var offset = 0

            init(list: CMSensorDataList) { self.list = list }

            /// The next reading; nil at the end.
            public mutating func next() -> CMRecordedAccelerometerData? {
                while part < list.parts.count {
                    let (piece, indices) = list.parts[part]
                    guard offset < indices.count else {
                        part += 1
                        offset = 0
                        continue
                    }
                    let index = indices.lowerBound + offset
                    offset += 1
                    return CMRecordedAccelerometerData(
                        piece.reading(at: index), identifier: piece.firstIdentifier + UInt64(index),
                        wallTime: piece.wallTime(at: index))
                }
                return nil
            }
        }
    }
}

/// Iterates over recorded readings without types, as programs written for Apple's platforms do.
///
/// Foundation on Linux has no fast enumeration, while every program that uses `CMSensorDataList` names this type.
public struct NSFastEnumerationIterator: IteratorProtocol {
    private var iterator: CMSensorDataList.Items.Iterator

    /// Begins at the oldest reading of the list.
    public init(_ list: CMSensorDataList) { iterator = list.items.makeIterator() }

    /// The next reading, a `CMRecordedAccelerometerData`; nil at the end.
    public mutating func next() -> Any? { iterator.next() }
}
