// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Testing

@testable import TraceFormats

@Suite("Unsupported formats")
struct OtherFileTests {
    @Test(
        "An unsupported format is identified by its first bytes, and the error names a converter",
        arguments: [
            ("SQLite format 3\0\u{10}\0", "ros2 bag convert -i b.db3"),
            ("#ROSBAG V2.0\n", "mcap convert b.db3"),
            ("\n\r\r\n\u{1c}\0\0\0", "umockdev-run --pcap=DEVICE=b.db3"),
            ("\u{e}\u{10}d\0\u{1}\0\0\0.FIT", "gpsbabel -i garmin_fit -f b.db3 -o gpx"),
            ("@DEV /dev/bus/usb/001/002\nUSBDEVFS_CONNECTINFO 0\n", "umockdev-run --ioctl=NODE=b.db3"),
            (
                "<?xml version=\"1.0\"?>\n<!-- <gpx> -->\n<kml xmlns=\"http://www.opengis.net/kml/2.2\">",
                "gpsbabel -i kml"
            ),
            ("\u{feff}<TrainingCenterDatabase>\n<Activities/>", "gpsbabel -i gtrnctr"),
            ("{ \"type\" : \"FeatureCollection\",\n\"features\":[]}", "gpsbabel -i geojson"),
            ("{\"bbox\":[1,2],\"type\":\"Feature\",", "gpsbabel -i geojson"),
            ("PK\u{3}\u{4}\u{14}\0", "unzip b.db3"),
        ])
    func advice(text: String, command: String) throws {
        let bytes = [UInt8](text.utf8)
        let error = #expect(throws: DeviceError.self) { try RecordingFile.read(bytes, name: "b.db3") }
        #expect(error?.message.contains(command) == true, "\(error?.message ?? "")")
        try Files.withFolder { folder in
            try Files.write(bytes, folder + "/b.db3")
            let error = #expect(throws: DeviceError.self) { try RecordingFile.open(folder + "/b.db3") }
            let whole = command.replacing("b.db3", with: folder + "/b.db3")
            #expect(error?.message.contains(whole) == true, "\(error?.message ?? "")")
        }
    }

    @Test("A trace that mentions another format is read as a trace")
    func trace() throws {
        let line = #"{"class":"TPV","mode":1,"note":{"type":"FeatureCollection"}}"# + "\n"
        #expect(try RecordingFile.read([UInt8](line.utf8), name: "t").format == .gpsd)
    }
}
