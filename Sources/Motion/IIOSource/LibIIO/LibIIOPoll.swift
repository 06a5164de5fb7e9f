// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

#if LibIIO
import CLibIIO
import IIOFormat

/// Attributes of channels, read through the library each time.
final class LibIIOPoll: IIOPoll {
    private let connection: LibIIOConnection
    private let places: [IIOPlace]

    init(_ connection: LibIIOConnection, places: [IIOPlace]) {
        self.connection = connection
        self.places = places
    }

    func read(_ index: Int) throws(IIOFailure) -> Double {
        guard places.indices.contains(index) else { return .nan }
        return IIONumber.double(try connection.read(places[index])) ?? .nan
    }
}
#endif
