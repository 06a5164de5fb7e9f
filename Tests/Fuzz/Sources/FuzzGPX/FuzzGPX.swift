// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import IIOFormat
import Trace
import TraceFormats
import TraceXML

/// Checks that what an importer writes keeps the rules of a trace.
private final class Checker: TraceSink {
    private var hasHeader = false
    private var last = Int64.min

    func write(_ header: TraceHeader) {
        precondition(!hasHeader)
        hasHeader = true
    }

    func write(_ event: TraceEvent) {
        precondition(hasHeader)
        guard let time = event.time else { return }
        precondition(time >= last)
        last = time
        if case .gpsd(let line) = event.contents { precondition(line.first == UInt8(ascii: "{")) }
    }
}

/// libFuzzer's entry. The first byte chooses options, the rest is a file; it is read as GPX and as the XML of a context.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = UnsafeBufferPointer(start: start, count: count)
    guard let choice = input.first else { return 0 }
    let bytes = Array(input.dropFirst())
    var options = GPXOptions()
    options.content = [nil, .tracks, .routes, .waypoints][Int(choice & 3)]
    options.number = choice & 4 == 0 ? nil : 1
    options.speed = choice & 8 == 0 ? nil : 1.5
    options.derivesMotion = choice & 16 == 0
    do throws(DeviceError) {
        _ = try GPXFile.read(bytes, name: "f.gpx", options: options, to: Checker())
    } catch {
        precondition(error.message.contains("f.gpx"))
    }
    do throws(DeviceError) {
        _ = try IIOContext(xml: bytes, name: "f.xml")
    } catch {
        precondition(error.message.contains("f.xml, line "))
    }
    return 0
}
