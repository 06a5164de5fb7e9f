// SPDX-License-Identifier: Apache-2.0

// The counterpart of reverse_geocoder_speed.py: the cost of finding a place by its position, with the data in programs.
//
//     places PLACES.BIN POINTS.TSV       prints one JSON object: microseconds per place, the slowest place, the
//                                        KiB that become resident, and the number of points with the right
//                                        country and locality

import Places
import SystemCalls

/// Maps a file in the way a program's data is mapped.
func mapped(_ path: String) -> UnsafeRawBufferPointer? {
    let descriptor = open(path, O_RDONLY)
    var status = stat()
    guard descriptor >= 0, fstat(descriptor, &status) == 0,
        let start = mmap(nil, Int(status.st_size), PROT_READ, MAP_PRIVATE, descriptor, 0), start != MAP_FAILED
    else { return nil }
    return UnsafeRawBufferPointer(start: start, count: Int(status.st_size))
}

func seconds() -> Double {
    var now = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now)
    return Double(now.tv_sec) + Double(now.tv_nsec) * 1e-9
}

/// Resident memory in KiB, including mapped files.
func resident() -> Int {
    guard let file = fopen("/proc/self/statm", "r") else { return 0 }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 200)
    guard fgets(&line, 200, file) != nil else { return 0 }
    let words = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init), as: UTF8.self).split(separator: " ")
    return words.count > 1 ? (Int(words[1]) ?? 0) * Int(getpagesize()) / 1024 : 0
}

let arguments = CommandLine.arguments
guard arguments.count == 3, let image = mapped(arguments[1]), let table = mapped(arguments[2]) else {
    print("places PLACES.BIN POINTS.TSV")
    exit(2)
}
let rows = String(decoding: table, as: UTF8.self).split(separator: "\n").dropFirst().map {
    $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
}
let points = rows.compactMap { row in Double(row[1]).flatMap { a in Double(row[2]).map { (a, $0) } } }
let before = resident()
let data = try PlaceData(constant: image)
var (countries, localities, cities) = (0, 0, 0)
for (row, point) in zip(rows, points) {
    let place = try data.place(latitude: point.0, longitude: point.1)
    if (place?.countryCode ?? "") == row[3] || (row[0] == "lake" && row[3].isEmpty) { countries += 1 }
    guard row[0] == "city" else { continue }
    cities += 1
    let name = try data.folded(place?.locality ?? "")
    if try name == data.folded(row[5]) || name == data.folded(row[6]) { localities += 1 }
}
let after = resident()
let rounds = 100
let start = seconds()
for _ in 0..<rounds { for point in points { _ = try data.place(latitude: point.0, longitude: point.1) } }
let mean = (seconds() - start) / Double(rounds * points.count)
// The slowest place, each in the best of its runs, because other processes use the processor as well.
var slowest = 0.0
for point in points {
    var best = Double.infinity
    for _ in 0..<20 {
        let start = seconds()
        _ = try data.place(latitude: point.0, longitude: point.1)
        best = min(best, seconds() - start)
    }
    slowest = max(slowest, best)
}
print(
    "{\"client\":\"Places\",\"mean_us\":\(mean * 1e6),\"slowest_us\":\(slowest * 1e6),\"resident_kb\":\(after - before),"
        + "\"points\":\(points.count),\"countries\":\(countries),\"cities\":\(cities),\"localities\":\(localities)}")
