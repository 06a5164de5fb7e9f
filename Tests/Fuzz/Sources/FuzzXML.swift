// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import IIOFormat
import Trace
import TraceFormats

/// Checks that an importer's output follows the rules of a trace.
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

/// The first byte selects options. The rest is a file, which is read as GPX and as the XML of a context.
func fuzzXML(_ input: UnsafeBufferPointer<UInt8>) {
    guard let choice = input.first else { return }
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
}
