// SPDX-License-Identifier: Apache-2.0

import SystemCalls

/// The fuzz targets by the names that Tests/Fuzz/run accepts, with their mutators. nil if libFuzzer alone mutates the
/// input.
private let targets: [String: (@Sendable (UnsafeBufferPointer<UInt8>) -> Void, Mutator?)] = [
    "accessories": (fuzzAccessories, nil),
    "accessory-server": (fuzzAccessoryServer, mutateScript),
    "beacons": (fuzzBeacons, nil),
    "boards": (fuzzBoards, nil),
    "dashboard": (fuzzDashboard, mutateScript),
    "formats": (fuzzFormats, nil),
    "gpsd": (fuzzGPSD, mutateGPSD),
    "gpsd-server": (fuzzGPSDServer, mutateScript),
    "iio": (fuzzIIO, nil),
    "iio-client": (fuzzIIOClient, nil),
    "iio-server": (fuzzIIOServer, mutateScript),
    "mcap": (fuzzMCAP, mutateMCAP),
    "motion": (fuzzMotion, nil),
    "nmea": (fuzzNMEA, mutateNMEA),
    "places": (fuzzPlaces, nil),
    "tables": (fuzzTables, nil),
    "udev": (fuzzUdev, mutateUdev),
    "xml": (fuzzXML, nil),
]

/// The target in the environment variable FUZZ_TARGET.
private let chosen: (@Sendable (UnsafeBufferPointer<UInt8>) -> Void, Mutator?) = {
    guard let name = getenv("FUZZ_TARGET"), let target = targets[String(cString: name)] else {
        print("FUZZ_TARGET is none of \(targets.keys.sorted().joined(separator: ", ")).")
        exit(2)
    }
    return target
}()

/// libFuzzer's entry point.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    chosen.0(UnsafeBufferPointer(start: start, count: count))
    return 0
}

/// libFuzzer's entry point for mutations. libFuzzer calls it for every mutation, including those of its own mutator.
@_cdecl("LLVMFuzzerCustomMutator")
public func mutateOneInput(_ start: UnsafeMutablePointer<UInt8>?, _ count: Int, _ limit: Int, _ seed: CUnsignedInt)
    -> Int
{
    let room = UnsafeMutableBufferPointer(start: start, count: limit)
    var bytes = Array(room[..<min(count, limit)])
    var dice = Dice(seed: seed)
    if let mutate = chosen.1 { mutate(&bytes, &dice, limit) } else { mutateRaw(&bytes, limit: limit) }
    let result = bytes.prefix(limit)
    _ = room.update(fromContentsOf: result)
    return result.count
}
