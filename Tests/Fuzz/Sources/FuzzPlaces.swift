// SPDX-License-Identifier: Apache-2.0

import Places
import SystemCalls

/// The data that programs contain. Tests/Fuzz/run runs in the folder of the package.
private let shipped: [UInt8] = {
    guard let file = fopen("Sources/Location/CPlaceData/places.bin", "rb") else {
        print("There is no Sources/Location/CPlaceData/places.bin here. Run it in the folder of the package.")
        exit(2)
    }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 65_536)
    while case let count = fread(&part, 1, part.count, file), count > 0 { bytes += part[..<count] }
    return bytes
}()

private let places: PlaceData = {
    do { return try PlaceData(copying: shipped) } catch { preconditionFailure("\(error)") }
}()

/// A copy of the data for changes, which are reverted: copying 2 MB for each input would take too long.
private nonisolated(unsafe) let changeable: UnsafeMutableRawBufferPointer = {
    let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: shipped.count, alignment: 16)
    copy.copyBytes(from: shipped)
    return copy
}()

/// The first byte selects a text to search for in the intact data, or changes to the data with a search for places by
/// position or by name.
func fuzzPlaces(_ input: UnsafeBufferPointer<UInt8>) {
    guard let first = input.first else { return }
    let rest = Array(input.dropFirst())
    if first & 1 == 0 {
        search(String(decoding: rest, as: UTF8.self), hasCircle: first & 2 != 0)
    } else {
        askDamaged(rest, byName: first & 2 != 0)
    }
}

private func search(_ text: String, hasCircle: Bool) {
    do {
        let query = PlaceQuery(text: text, circle: hasCircle ? (48.1, 11.6, 100_000) : nil)
        switch try places.places(query) {
        case .found(let found):
            precondition((1...5).contains(found.count))
            for place in found {
                precondition(abs(place.latitude) <= 90 && abs(place.longitude) <= 180 && place.name != nil)
                // A place that is found exists in the data.
                _ = try places.place(latitude: place.latitude, longitude: place.longitude)
            }
        case .onlySurroundings(let name): precondition(!name.isEmpty && text.contains { ",;\n،、，".contains($0) })
        case .notFound: break
        }
        let folded = try places.folded(text)
        let isPlain = text.utf8.allSatisfy { $0 < 0x80 }
        let again = try places.folded(String(decoding: folded, as: UTF8.self))
        precondition(again == folded || !isPlain)
    } catch {
        preconditionFailure("whole data is damaged: \(error)")
    }
}

/// Each eight bytes change one location in the data: its offset, the number of bytes and their new values. The last
/// bytes are a text.
private func askDamaged(_ changes: [UInt8], byName: Bool) {
    let bytes = changeable
    var changed: [Int] = []
    defer { for place in changed { bytes[place] = shipped[place] } }
    var left = changes[...]
    while left.count >= 8 {
        let change = Array(left.prefix(8))
        left = left.dropFirst(8)
        // Mostly in the section table and in the tables at the beginning.
        let range = [160, 40_000, 120_000, bytes.count][Int(change[0] & 3)]
        let place = (Int(change[1]) | Int(change[2]) << 8 | Int(change[3]) << 16) % range
        for offset in 0..<Int(change[0] >> 2 & 3) + 1 where place + offset < bytes.count {
            bytes[place + offset] = change[4 + offset]
            changed.append(place + offset)
        }
    }
    do {
        let data = try PlaceData(constant: UnsafeRawBufferPointer(bytes))
        guard byName else {
            for (latitude, longitude) in [(48.137, 11.575), (47.63, 9.37), (60.6, -81.0), (76.0, -60.0), (-85.0, 50.0)]
            {
                _ = try? data.place(latitude: latitude, longitude: longitude)
            }
            return
        }
        for text in ["Paris, Texas", "Bavaria", String(decoding: left, as: UTF8.self)] {
            _ = try? data.places(PlaceQuery(text: text))
        }
    } catch {
        // The section table is invalid.
    }
}
