// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A list of recorded readings, oldest first.
///
/// As on Apple's platforms, the class itself is not a `Sequence`. To iterate over a list with `for`, add this
/// conformance:
///
/// ```swift
/// extension CMSensorDataList: @retroactive Sequence {
///     public func makeIterator() -> NSFastEnumerationIterator { NSFastEnumerationIterator(self) }
/// }
/// ```
open class CMSensorDataList: NSObject {
    let parts: [(chunk: RecordingChunk, indices: Range<Int>)]

    /// Creates an empty list.
    public override init() { parts = [] }

    init(_ parts: [(chunk: RecordingChunk, indices: Range<Int>)]) { self.parts = parts }
}

extension CMSensorDataList {
    package var items: Items { Items(list: self) }

    package var count: Int { parts.reduce(0) { $0 + $1.indices.count } }

    package struct Items: Sequence {
        let list: CMSensorDataList

        package func makeIterator() -> Iterator { Iterator(list: list) }

        package struct Iterator: IteratorProtocol {
            private let list: CMSensorDataList
            private var part = 0
            private var offset = 0

            init(list: CMSensorDataList) { self.list = list }

            package mutating func next() -> CMRecordedAccelerometerData? {
                while part < list.parts.count {
                    let (chunk, indices) = list.parts[part]
                    guard offset < indices.count else {
                        part += 1
                        offset = 0
                        continue
                    }
                    let index = indices.lowerBound + offset
                    offset += 1
                    return CMRecordedAccelerometerData(
                        chunk.reading(at: index), identifier: chunk.firstIdentifier + UInt64(index),
                        wallTime: chunk.wallTime(at: index))
                }
                return nil
            }
        }
    }
}

/// An iterator that returns recorded readings as `Any`. Apps use this type to iterate over a ``CMSensorDataList``. It
/// is declared here, because Foundation on Linux does not provide it.
public struct NSFastEnumerationIterator: IteratorProtocol {
    private var iterator: CMSensorDataList.Items.Iterator

    /// Creates an iterator that starts with the oldest reading in the list.
    public init(_ list: CMSensorDataList) { iterator = list.items.makeIterator() }

    /// Returns the next `CMRecordedAccelerometerData`, or nil after the last reading.
    public mutating func next() -> Any? { iterator.next() }
}
