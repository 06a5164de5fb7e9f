// SPDX-License-Identifier: Apache-2.0

import SystemCalls

/// What is fuzzed, by the names that Tests/Fuzz/run takes.
private let targets: [String: @Sendable (UnsafeBufferPointer<UInt8>) -> Void] = [
    "accessories": fuzzAccessories, "beacons": fuzzBeacons, "boards": fuzzBoards, "formats": fuzzFormats,
    "gpsd": fuzzGPSD,
    "gpsd-server": fuzzGPSDServer, "iio": fuzzIIO, "motion": fuzzMotion, "places": fuzzPlaces, "xml": fuzzXML,
]

/// The one that the environment variable FUZZ_TARGET names.
private let chosen: @Sendable (UnsafeBufferPointer<UInt8>) -> Void = {
    guard let name = getenv("FUZZ_TARGET"), let target = targets[String(cString: name)] else {
        print("FUZZ_TARGET is none of \(targets.keys.sorted().joined(separator: ", ")).")
        exit(2)
    }
    return target
}()

/// libFuzzer's entry.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    chosen(UnsafeBufferPointer(start: start, count: count))
    return 0
}
