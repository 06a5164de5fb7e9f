// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Testing

@testable import TraceFormats

@Suite("Column maps")
struct CSVColumnMapTests {
    @Test("Names, numbers, quotes and units are parsed")
    func entries() throws {
        let map = try CSVColumnMap(
            #" time = ts : ms , lat="Breite, ""N"" (°)":deg,lon=#7, speed=kmh:km/h, accel.x=ax:-g,accel.y=ay,accel.z=az:m/s2,"#
        )
        #expect(map.columns[.time]?.name == "ts")
        #expect(map.columns[.time]?.unit?.name == "ms")
        #expect(map.columns[.lat]?.name == "Breite, \"N\" (°)")
        #expect(map.columns[.lon]?.index == 6)
        #expect(map.columns[.lon]?.name == nil)
        #expect(map.columns[.speed]?.unit?.name == "km/h")
        #expect(map.columns[.accelX]?.unit?.name == "g")
        #expect(map.columns[.accelX]?.unit?.isNegated == true)
        #expect(map.columns[.accelY]?.unit?.name == "m/s^2")
        #expect(map.columns[.accelZ]?.unit?.name == "m/s^2")
        #expect(map.columns.count == 7)
        #expect(map == map)
    }

    @Test("Settings are parsed")
    func settings() throws {
        let map = try CSVColumnMap(
            "separator=semicolon,decimal=comma,header=no,skip=3,period=0.01,start=2026-11-21T10:00:00.5Z,pressure=#2:hPa"
        )
        #expect(map.separator == UInt8(ascii: ";"))
        #expect(map.hasDecimalComma)
        #expect(!map.hasHeader)
        #expect(map.skippedLines == 3)
        #expect(map.period == 0.01)
        // From date -u -d 2026-11-21T10:00:00Z +%s.
        #expect(map.start == WallTime(nanoseconds: 1_795_255_200_500_000_000))
        #expect(try CSVColumnMap("separator=|,time=t,lat=a,lon=b").separator == UInt8(ascii: "|"))
        #expect(try CSVColumnMap("separator=;,time=t,lat=a,lon=b").separator == UInt8(ascii: ";"))
    }

    /// The value of 1 in each unit, from the definitions: 9.80665 m/s² (3rd CGPM 1901), a nautical mile of 1852 m, a
    /// foot of 0.3048 m, a millimetre of mercury of 133.322 Pa.
    @Test(
        "Units are converted by their definitions",
        arguments: [
            ("accel.x", "g", 9.80665), ("accel.x", "mg", 0.00980665), ("accel.x", "-g", -9.80665),
            ("accel.x", "cm/s^2", 0.01), ("gyro.x", "deg/s", 0.017453292519943295),
            ("gyro.x", "dps", 0.017453292519943295),
            ("gyro.x", "mrad/s", 0.001), ("mag.x", "uT", 0.01), ("mag.x", "\u{b5}T", 0.01), ("mag.x", "nT", 1e-5),
            ("mag.x", "T", 1e4), ("mag.x", "G", 1), ("mag.x", "mG", 0.001), ("mag.x", "mT", 10),
            ("pressure", "hPa", 0.1), ("pressure", "Pa", 0.001), ("pressure", "mbar", 0.1),
            ("pressure", "mmHg", 0.133322),
            ("pressure", "inHg", 3.386389), ("lat", "rad", 57.29577951308232), ("lat", "e7", 1e-7),
            ("course", "e5", 1e-5),
            ("alt.msl", "ft", 0.3048), ("alt.hae", "km", 1000), ("acc.h", "mm", 0.001), ("acc.v", "cm", 0.01),
            ("speed", "km/h", 0.2777777777777778), ("speed", "kn", 0.5144444444444445), ("speed", "mph", 0.44704),
            ("climb", "ft/s", 0.3048), ("acc.speed", "mm/s", 0.001), ("speed", "cm/s", 0.01),
        ])
    func units(quantity: String, unit: String, expected: Double) throws {
        let dimension = try #require(CSVQuantity(rawValue: quantity)?.dimension)
        let isNegated = unit.hasPrefix("-")
        var found = try #require(
            dimension.units.first { $0.matches(name: isNegated ? String(unit.dropFirst()) : unit) })
        found.isNegated = isNegated
        #expect(abs(found.value(1) - expected) <= abs(expected) * 1e-15)
    }

    @Test("Errors name the entry and the valid alternatives")
    func errors() {
        let cases: [(text: String, expected: String)] = [
            ("", "names no readings"), ("time=t", "names no readings"),
            ("foo=1", "foo is neither a quantity nor a setting"),
            ("time=t,altitude=a", "Write alt.msl for heights above mean sea level, or alt.hae"),
            ("time=t,latitude=a", "Write lat."), ("heading=h", "Write course."),
            ("time", "\"time\" in the column map is not a valid entry"), ("=x", "is not a valid entry"),
            ("time=,lat=a", "\"time=\" in the column map has no column"),
            ("time=t,time=u", "names time twice"),
            ("time=t:h,lat=a,lon=b", "h is not a unit of time. Write one of s, ms, us, ns, iso."),
            ("time=t:-s,lat=a,lon=b", "times cannot be negated"),
            ("time=t,lat=a,lon=b,speed=v:m/h", "m/h is not a unit of speed. Write one of m/s, km/h, kn, mph"),
            ("time=t,lat=a,lon=b,sats=n:deg", "sats has no unit"),
            ("time=t,lat=a", "names only one coordinate. Add lon=COLUMN"),
            ("time=t,speed=v,pressure=p", "names speed but no position"),
            ("time=t,accel.x=a,accel.z=b", "lacks accel.y: a sensor has three axes. Add accel.y=COLUMN."),
            ("lat=a,lon=b", "names no time. Add time=COLUMN, or period=SECONDS"),
            ("time=t,period=1,lat=a,lon=b", "both time and period"),
            ("time=#0,lat=a,lon=b", "# must be followed by a column number from 1 to 1024"),
            ("time=#99999999999999999999,lat=a,lon=b", "# must be followed"),
            ("time=t,header=no,lat=#1,lon=#2", "header=no but names the column \"t\""),
            ("time=t,lat=a,lon=b,separator=x", "write comma, semicolon, tab or pipe"),
            ("time=t,lat=a,lon=b,decimal=x", "write comma or point"),
            ("time=t,lat=a,lon=b,header=x", "write yes or no"),
            ("time=t,lat=a,lon=b,skip=-1", "write the number of lines to skip"),
            ("lat=a,lon=b,period=nan", "write the seconds between rows"),
            ("time=t,lat=a,lon=b,start=noon", "write a time such as 2026-11-21T10:00:00Z"),
            ("time=t,lat=a,lon=b,separator=comma,decimal=comma", "commas both as separators and in numbers"),
            ("time=\"t", "is never closed"), ("time=\"t\"x", "must be followed by a comma, or by a colon and a unit"),
            (String(repeating: "x", count: 20_000), "longer than 16384 bytes"),
        ]
        for (text, expected) in cases {
            let error = #expect(throws: DeviceError.self) { try CSVColumnMap(text) }
            #expect(error?.message.contains(expected) == true, "\(text.prefix(60)): \(error?.message ?? "")")
            #expect(error?.code == .invalidConfiguration)
        }
    }
}
