# This source file is part of the swift-device-services project.
# SPDX-License-Identifier: Apache-2.0
"""Creates a small recording of each format that the tool reads: excerpts, handwritten files, and conversions."""
import os
import shutil
import subprocess
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
TRACES = os.path.join(ROOT, "Simulators", "Traces")

TABLE = ["time=ts:ms,lat=Lat,lon=Lon,alt.msl=h,speed=v:km/h,acc.h=e,accel.x=ax:g,accel.y=ay:g,accel.z=az:g"]


class Seed:
    """A recording: a file or a directory, the required arguments, and its use."""

    def __init__(self, name, path, options=(), use="recording", positions=False, motion=False):
        self.name, self.path, self.options, self.use = name, path, list(options), use
        self.positions, self.motion = positions, motion

    @property
    def is_folder(self):
        return os.path.isdir(self.path)

    def files(self):
        """Returns the paths of its files relative to it; an empty path for the recording itself."""
        return sorted(os.listdir(self.path)) if self.is_folder else [""]

    def copy(self, folder):
        """Copies the recording to a directory. Returns its path."""
        path = os.path.join(folder, os.path.basename(self.path))
        (shutil.copytree if self.is_folder else shutil.copyfile)(self.path, path)
        return path


def make(tool, folder):
    """All recordings."""
    os.makedirs(folder, exist_ok=True)
    maker = _Maker(tool, folder)
    maker.positions()
    maker.tables()
    maker.folders()
    maker.devices()
    maker.others()
    return maker.seeds


class _Maker:
    def __init__(self, tool, folder):
        self.tool, self.folder, self.seeds = tool, folder, []

    def add(self, name, data, *options, **what):
        """Adds a file from bytes or text, or a directory from a dictionary."""
        path = os.path.join(self.folder, name)
        if isinstance(data, dict):
            os.makedirs(path)
            for file, text in data.items():
                self.add_file(os.path.join(path, file), text)
        else:
            self.add_file(path, data)
        self.seeds.append(Seed(name, path, options, **what))
        return path

    @staticmethod
    def add_file(path, data):
        with open(path, "wb") as file:
            file.write(data.encode() if isinstance(data, str) else data)

    def convert(self, source, name, *options, verb="convert", **what):
        """Creates a recording from another one with the tool."""
        path = os.path.join(self.folder, name)
        result = self.tool.run([verb, source, path, *options])
        if result.status != 0:
            raise SystemExit(f"Cannot create the seed {name}: {result.command}\n{result.err.decode(errors='replace')}")
        self.seeds.append(Seed(name, path, **what))
        return path

    def positions(self):
        fixes = {"positions": True}
        trace = self.add("whole.trace", WHOLE, positions=True, motion=True)
        log = self.add("m37.nmea", head("gpsd/humminbird-M37.log", 40), **fixes)
        self.add("ublox.nmea", head("gpsd/ublox-8.log", 40, b"$"), **fixes)
        chk = self.add("m37.json", head("gpsd/humminbird-M37.log.chk", 30, b"{"), **fixes)
        self.add("hnr.log", head("gpsd/ublox-neo-m8u-hnr.log.chk", 25), **fixes)
        self.convert(chk, "stamped.json", "--format", "gpsd", "--stamps", **fixes)
        self.convert(log, "stamped.nmea", "--stamps", **fixes)
        self.convert(log, "log.gpx", **fixes)
        self.add("hand.gpx", GPX, **fixes)
        self.convert(trace, "own.mcap", positions=True, motion=True)
        for number, data in enumerate(fuzz_seeds("formats")):
            if data[:1] == b"\x01":
                self.add(f"foxglove-{number}.mcap", b"\x89MCAP0\r\n" + data, **fixes)
        route = self.add("walk.csv", "48,11,520,3\n48.0001,11.0001,,,1\n48.0002,11\n", use="route")
        self.convert(route, "walk.trace", "--rate", "10", verb="synthesize", positions=True, motion=True)

    def tables(self):
        moves = {"motion": True}
        shake = self.add("iio.csv", head("iio/shake.csv", 25), **moves)
        self.convert(shake, "si.csv", **moves)
        self.convert(shake, "buffers.iio", **moves)
        self.add("broad.csv", head("broad/broad_03_undisturbed_slow_rotation_C.csv", 25), **moves)
        self.add("motionsense.csv", head("motionsense/motionsense_std_6_sub9.csv", 25), **moves)
        rows = "".join(f"{1000 + 100 * n};48,{1370 + n};11,{5750 + n};520,5;{30 + n},25;4,5;0,0{n};-0,125;0,98{n}\n"
                       for n in range(10, 30))
        self.add("table.txt", "ts;Lat;Lon;h;v;e;ax;ay;az\n" + rows, "--columns",
                 TABLE[0] + ",separator=semicolon,decimal=comma", positions=True, motion=True)
        self.add("plain.csv", "ts,Lat,Lon,h,v,e,ax,ay,az\n" + rows.replace(",", ".").replace(";", ","), "--columns",
                 TABLE[0], positions=True, motion=True)
        rows = "".join(f"{n / 10}E0;1,{n};2,5;9,8{n}\n" for n in range(20)).replace(".", ",")
        self.add("phyphox.csv",
                 '"Time (s)";"Acceleration x (m/s^2)";"Acceleration y (m/s^2)";"Acceleration z (m/s^2)"\n' + rows, **moves)

    def folders(self):
        start = 1_714_557_600_000
        def rows(columns, row):
            return columns + "\n" + "".join(
                f"{start + n * 100}000000,{n / 10},{row(n)}\n" for n in range(20))
        # Values between two gravity readings are interpolated, so gravity has to be constant to be recognised.
        steady = rows("time,seconds_elapsed,z,y,x", lambda n: "-9.75,0.125,0.25")
        def axes(x, y, z):
            return rows("time,seconds_elapsed,z,y,x", lambda n: f"{z + n / 1024},{y},{x}")
        location = rows(
            "time,seconds_elapsed,bearingAccuracy,speedAccuracy,verticalAccuracy,horizontalAccuracy,speed,bearing,"
            "altitude,longitude,latitude", lambda n: f"1,0.5,3,4.25,{1 + n / 8},90.5,520.5,11.575{n:02},48.137{n:02}")
        for system, acceleration in (("ios", {"Accelerometer.csv": axes(0.25, 0.5, 0.125), "Gravity.csv": steady}),
                                     ("android", {"TotalAcceleration.csv": axes(0.25, 0.5, 9.875)})):
            metadata = (f"version,device name,recording epoch time,recording time,platform,standardisation\n"
                        f"3,phone,{start},2024-05-01_10-00-00,{system},false\n")
            self.add(f"logger-{system}", {
                "Metadata.csv": metadata, "Gyroscope.csv": axes(0.125, -0.25, 0.5), "Magnetometer.csv": axes(20, 1, -43),
                "Location.csv": location, **acceleration,
                "Battery.csv": rows("time,seconds_elapsed,batteryLevel,batteryState", lambda n: "0.75,unplugged"),
            }, positions=True, motion=True)
        times = [n / 8 for n in range(20)]
        self.add("phyphox", {
            "meta-time.csv": "",
            "Gyroscope.csv": '"Time (s)","Gyroscope x (rad/s)","Gyroscope y (rad/s)","Gyroscope z (rad/s)"\n'
            + "".join(f"{t},{t / 16},0.5,-0.25\n" for t in times),
            "Location.csv": '"Time (s)","Latitude (°)","Longitude (°)","Altitude (m)","Velocity (m/s)","Direction (°)",'
            '"Horizontal Accuracy (m)","Vertical Accuracy (m)"\n'
            + "".join(f"{t},48.{int(t * 8) + 10},11.5,520,1.5,90,4,6\n" for t in times),
        }, positions=True, motion=True)
        meta = os.path.join(self.folder, "phyphox", "meta")
        os.unlink(meta + "-time.csv")
        os.makedirs(meta)
        self.add_file(os.path.join(meta, "time.csv"), '"event","experiment time","system time"\n"START",0,1700000000\n'
                      '"PAUSE",5,1700000005\n')

    def devices(self):
        self.add("scale.umockdev", head("udev/weigh-scale.umockdev", 1000))
        self.add_file(os.path.join(self.folder, "scale.script"), head("udev/weigh-scale.script", 1000))
        self.add("fido.script", head("udev/umockdev-fido2.script", 1000))
        self.add("scale.trace", head("udev/weigh-scale.trace", 1000))

    def others(self):
        self.add("wmm.cof", head("../../Tests/Location/GeodesyTests/Reference/Magnetic/WMM2025.COF", 1000), use="model")
        self.add("accessory.json", '{"name":"Display","serial":"D-1","port":"p1","protocols":{"com.example.display":'
                 '{"tty":"/dev/ttyAMA1","speed":115200},"com.example.b":{"socket":"s"}}}\n', use="accessory")
        self.add("settings.json", SETTINGS, use="configuration")
        expected = os.path.join(self.folder, "expected.jsonl")
        source = os.path.join(self.folder, "m37.json")
        self.tool.run(["replay", source, "location", "--expect", expected, "--update-expected"])
        self.seeds.append(Seed("expected.jsonl", expected, [source], use="expectation"))


def head(path, count, start=b""):
    """Returns the first lines of a recorded file, or those that begin with the given text."""
    with open(os.path.join(TRACES, path), "rb") as file:
        return b"".join([line for line in file if line.startswith(start)][:count])


def fuzz_seeds(target):
    """Returns the seeds of the fuzzers."""
    import tempfile
    script = os.path.join(ROOT, "Tests", "Fuzz", "make_seeds.py")
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, "-B", script, target, folder], check=True)
        for name in sorted(os.listdir(folder), key=lambda name: int(name.split("-")[1])):
            with open(os.path.join(folder, name), "rb") as file:
                yield file.read()


SETTINGS = """{
    "position": {"source": "gpsd://127.0.0.1:1", "receiver": "/dev/ttyACM0", "repairWeekRollover": true},
    "location": {"authorization": "grant", "reducedAccuracy": false, "purpose": "test"},
    "accessories": {"udev": false, "settle": 0.1, "protocols": ["com.example.a"],
        "rules": [{"vendor": "0403", "product": "6001", "interface": 0, "protocols": ["com.example.scale"], "speed": 9600}],
        "declared": [{"name": "Display", "protocols": {"com.example.display": {"tty": "/dev/null", "speed": 115200}}}]}
}
"""

GPX = """<?xml version="1.0" encoding="UTF-8"?>
<gpx version="1.1" xmlns:g="http://www.garmin.com/xmlschemas/TrackPointExtension/v2"><trk><name>a &amp; b</name><trkseg>
""" + "".join(
    f'<trkpt lat="48.{n:04}" lon="-11.{n:04}"><ele>{500 + n}.5</ele><time>2024-05-01T10:00:{n:02}.5Z</time><fix>3d</fix>'
    f"<sat>7</sat><hdop>0.9</hdop><extensions><g:TrackPointExtension><g:speed>{n}.25</g:speed><g:course>9{n}</g:course>"
    "</g:TrackPointExtension></extensions></trkpt>\n" for n in range(10, 20)) + """</trkseg></trk>
<wpt lat="1.5" lon="2.5"><name>place</name></wpt></gpx>
"""

_HEADER = (
    '{"format":"device-services-trace","version":1,"start":{"utc":"2026-11-21T03:39:22.000000000Z","boot":12345.5},'
    '"clock":"CLOCK_BOOTTIME","devices":[{"kind":"gpsd","path":"/dev/ttyACM0","driver":"u-blox","subtype":"SW 3.01",'
    '"bps":9600,"cycle":1.0}],"sensors":[{"id":"accelerometer","kind":"accelerometer","name":"mpu6050","label":"top",'
    '"rates":[50.0,100.0],"mountMatrix":"0, 1, 0; 1, 0, 0; 0, 0, -1"},{"id":"gyroscope","kind":"gyroscope"},'
    '{"id":"magnetometer","kind":"magnetometer"},{"id":"pressure","kind":"pressure"}],"battery":{"level":0.8,"state":'
    '"unplugged"},"frame":"sensor","recorder":"sensorctl 0.1","source":"gpsd://localhost:2947"}\n')


def _whole():
    yield '{"t":0.05,"gpsd":{"class":"VERSION","release":"3.22","rev":"3.22","proto_major":3,"proto_minor":14}}'
    yield ('{"t":0.06,"gpsd":{"class":"DEVICES","devices":[{"class":"DEVICE","path":"/dev/ttyACM0","driver":"u-blox",'
           '"subtype":"SW 3.01","activated":"2026-11-21T03:39:22.000Z","bps":9600}]}}')
    yield ('{"t":0.1,"attach":{"id":"1","name":"Weigh Scale","manufacturer":"Example Corp","model":"WS-7","serial":'
           '"WS-7731","firmware":"2.10","port":"1-2.4","vendor":"1209","product":"0002","protocols":["com.example.scale"]}}')
    yield '{"t":0.15,"open":"com.example.scale","accessory":"1"}'
    yield '{"t":0.16,"out":"READ\\r\\n","accessory":"1","protocol":"com.example.scale"}'
    yield '{"t":0.17,"in":"12.5 kg\\r\\n","accessory":"1","protocol":"com.example.scale"}'
    for n in range(20):
        t = 0.25 + n / 4
        yield f'{{"t":{t},"accelerometer":[{n / 64},0.125,9.8125],"stamp":{t - 0.001}}}'
        yield f'{{"t":{t},"gyroscope":[0.01,{n / 128},-0.02]}}'
        yield f'{{"t":{t},"magnetometer":[0.2,{n / 256},-0.43]}}'
        yield f'{{"t":{t},"pressure":{95.5 + n / 512}}}'
        if n % 4 == 0:
            second = 22 + n // 4
            yield (f'{{"t":{t + 0.01},"gpsd":{{"class":"TPV","device":"/dev/ttyACM0","mode":3,"time":"2026-11-21T03:39:'
                   f'{second}.000Z","lat":48.1370{n:02},"lon":11.5750{n:02},"altHAE":567.5,"altMSL":520.25,"epx":3.5,'
                   f'"epy":4.5,"epv":8.5,"eph":6.5,"track":{n + 1}.5,"speed":{n / 8 + 1},"climb":0.125}}}}')
            yield (f'{{"t":{t + 0.02},"gpsd":{{"class":"SKY","device":"/dev/ttyACM0","hdop":0.9,"satellites":[{{"PRN":7,'
                   '"el":40,"az":120,"ss":33,"used":true}]}}')
    yield '{"t":5.5,"gpsdText":"$GPGGA,092204.999,4250.5589,S,14718.5084,E,1,04,24.4,19.7,M,,,,0000*1F"}'
    yield '{"t":5.6,"battery":{"level":0.79,"state":"unplugged"}}'
    yield '{"t":5.7,"lost":{"code":"connectionLost","message":"gpsd closed the connection."}}'
    yield '{"t":5.8,"regained":true}'
    yield '{"t":5.9,"close":"com.example.scale","accessory":"1"}'
    yield '{"t":6.0,"detach":"1"}'


WHOLE = _HEADER + "".join(line + "\n" for line in _whole())
