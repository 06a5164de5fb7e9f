// SPDX-License-Identifier: Apache-2.0

// Reads or writes a recording once. `run` measures the cost from outside, as for other programs.
//
//     formats read FILE              reads events one by one and discards them; the reports of a trace are decoded
//     formats convert FILE OUTPUT    writes the format that the name of the output selects
//
// Prints the number of events.

import DeviceCore
import GPSDProtocol
import SystemCalls
import Trace
import TraceFormats

/// Counts events and discards them.
final class Counter: TraceSink {
    var events = 0

    func write(_ header: TraceHeader) {}
    func write(_ event: TraceEvent) { events += 1 }
}

func read(_ path: String) throws(DeviceError) -> Int {
    let counter = Counter()
    if path.hasSuffix(".gpx") {
        _ = try GPXFile.read(path: path, to: counter)
    } else if path.hasSuffix(".nmea") {
        _ = try NMEALog.read(contents: try TraceBytes(path: path), name: path, to: counter)
    } else {
        let trace = try TraceFile(path: path)
        var cursor = TraceCursor(trace)
        var decoder = GPSDDecoder()
        trace.bytes.withUnsafeBytes { bytes in
            while let record = cursor.next(bytes) {
                if record.kind == .gpsd {
                    _ = decoder.decode(UnsafeRawBufferPointer(rebasing: bytes[record.range]))
                }
                counter.events += 1
            }
        }
    }
    return counter.events
}

let arguments = CommandLine.arguments
do {
    switch arguments.count {
    case 3 where arguments[1] == "read":
        print(try read(arguments[2]))
    case 4 where arguments[1] == "convert":
        guard let format = RecordingFormat(fileName: arguments[3]) else { exit(2) }
        _ = try format.write(try RecordingFile.open(arguments[2]).trace, to: arguments[3], overwrite: true)
    default:
        print("usage: formats read FILE | formats convert FILE OUTPUT")
        exit(2)
    }
} catch {
    print(error)
    exit(1)
}
