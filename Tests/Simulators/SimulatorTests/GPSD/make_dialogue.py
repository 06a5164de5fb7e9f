# This source file is part of the swift-device-services project.
# SPDX-License-Identifier: Apache-2.0
"""Sends valid and invalid requests to an installed gpsd, and writes the dialogues.

    python3 make_dialogue.py > gpsd-3.22-dialogue.jsonl

Each line is one connection: the number of receivers, and pairs of sent data and responses. Times and ports of receivers,
which differ between runs, are replaced by constants. Requires gpsd in /usr/sbin.
"""
import functools, json, os, re, socket, subprocess, sys, tempfile, time

QUIET = 0.15
TIME = "2026-01-01T00:00:00.000Z"


def sentence(body):
    return "$%s*%02X\r\n" % (body, functools.reduce(lambda sum, letter: sum ^ ord(letter), body, 0))


def feed(port, latitude):
    sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    for second in range(1, 4):
        at = "12351%d.00" % second
        place = "%02d07.0380,N,01131.0000,E" % latitude
        text = "".join(map(sentence, [
            f"GPGGA,{at},{place},1,08,0.9,545.4,M,46.9,M,,", "GPGSA,A,3,04,05,,09,12,,,24,,,,,2.5,1.3,2.1",
            "GPGSV,1,1,02,04,40,083,46,05,17,308,41", f"GPRMC,{at},A,{place},022.4,084.4,230324,003.1,W"]))
        sender.sendto(text.encode(), ("127.0.0.1", port))
        time.sleep(0.2)


def free(kind):
    with socket.socket(socket.AF_INET, kind) as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def answer(client):
    reply = b""
    try:
        while True:
            piece = client.recv(65536)
            if not piece:
                break
            reply += piece
    except socket.timeout:
        pass
    return reply.decode("latin1")


def run(count, cases):
    port = free(socket.SOCK_STREAM)
    feeds = [free(socket.SOCK_DGRAM) for _ in range(count)]
    names = [f"udp://127.0.0.1:{feed}" for feed in feeds]
    key = 0x47750000 | port
    with tempfile.TemporaryDirectory() as folder:
        daemon = subprocess.Popen(
            ["/usr/sbin/gpsd", "-N", "-n", "-S", str(port), "-F", folder + "/control"] + names,
            env=dict(os.environ, GPSD_SHM_KEY=hex(key)), stderr=subprocess.DEVNULL)
        try:
            time.sleep(1)
            for number, port_of_feed in enumerate(feeds):
                feed(port_of_feed, 48 + number)
            time.sleep(0.5)

            def fixed(text):
                for number, name in enumerate(names):
                    text = text.replace(name, f"udp://127.0.0.1:1000{number}")
                return re.sub(r'("(?:activated|POLL","time)":")[^"]*"', rf'\g<1>{TIME}"', text)

            for case in cases:
                client = socket.create_connection(("127.0.0.1", port))
                client.settimeout(QUIET)
                steps = [["", fixed(answer(client))]]
                for request in case:
                    for number, name in enumerate(names):
                        request = request.replace("DEV%d" % number, name)
                    client.sendall(request.encode("latin1"))
                    steps.append([fixed(request), fixed(answer(client))])
                client.close()
                print(json.dumps({"receivers": count, "steps": steps}, separators=(",", ":")))
        finally:
            daemon.terminate()
            daemon.wait()
            subprocess.run(["ipcrm", "-M", str(key)], stderr=subprocess.DEVNULL)


def long(count):
    return "x" * count


FEW = [[text] for text in [
    "?VERSION;", "?DEVICES;", "?WATCH;", "?DEVICE;", "?POLL;", '?WATCH={"enable":true};?POLL;', "?DEVICE={}",
    '?DEVICE={"bps":9600};', '?DEVICE={"path":"DEV0"}', '?DEVICE={"path":"DEV0"};?VERSION;',
    '?DEVICE={"path":"DEV1"};', '?WATCH={"json":true,"device":"DEV0"};?POLL;',
    '?WATCH={"json":true,"device":"DEV1"};?POLL;']]

REQUESTS = [
    "?VERSION", "?DEVICES", "?POLL", "?FOO;", "FOO;", "?", "??VERSION;", "?VERSION;?DEVICES;",
    "?VERSION;\n?DEVICES;\n", "?VERSION;VERSION;", "?VERSION; VERSION;", "  ?VERSION;", "\r\n?VERSION;", "?WATCHX;",
    "?watch;", '?FOO "quote" \\ back;\t', "?FOO;?VERSION;", "?\x01\xff;", "?VERSION;\xff", "?FOO" + long(1000),
    "?FOO\n\n  \t", "?a\nb;c?VERSION;", "?\n?VERSION;", "?VERSION;\n\n", "? VERSION;", "?DEVICE", "?DEVICES;x",
    "?DEVICE =1;", "?WATCH ;", "?WATCH:;", "?POLL;;", "?POLL ;", "?VERSION;;?DEVICES;", "?\x7f\x1f/\x08\x0c\r;",
    "?VERSION;" * 30, "?WATCH;" * 3, '?WATCH={"json":true};' * 3, "?DEVICES;" * 200, "?VERSION;\x00?VERSION;",
    "\x00?VERSION;"]

WATCHES = [
    "{}", "{};", '{"enable":true}', '{"enable":false}', '{"json":true}\r\n', '{"raw":2,"pps":true}\r\n',
    '{"enable":tru}', '{"enable":true,"js', '{"enable":true,"json":true', '{"foo":1,"json":true}',
    '{"foo":{"a":1},"json":true}', '{"foo":[1],"json":true}', '{"json":1}', '{"raw":"x"}', '{"raw":true}',
    '{"enable":"true"}', '{"enable":true "json":true}', "foo;", "", '{"enable":true}?POLL;', '{"enable":true};POLL;',
    '{"enable":true};\nPOLL;', '{ "enable" : true , "json" : true } ;', '{"class":"WATCH","enable":true,"json":true};',
    '{"enable":true,"json":true,"scaled":true,"timing":true,"split24":true,"pps":true};',
    '{"json":true,"device":"/dev/none"}', '{"json":true,"device":"/dev/none"};?VERSION;',
    '{"json":true,"nmea":true,"raw":9}', '{"enable":nan}', '{"enable":null,"json":null}', '{"remote":"x","json":true}',
    '{"json":true}x', '{"json":true}\x00?VERSION;', '{"foo":"barbar","json":true}',
    '{"foo":"%s","json":true}' % long(510), '{"foo":"%s","json":true}' % long(511), '{"foo":"%s","json":true}' % long(512),
    '{"foo":"%s","json":true}' % long(513),
    '{"remote":"xyzxyz","json":true}', '{"class":"FOO","json":true}', '{"class":3,"json":true}', '{"enable":""}',
    '{"raw":""}', '{"raw":"1"}', '{"raw":"12"}', '{"device":"%s"}' % long(127), '{"device":"%s"}' % long(128),
    '{"device":"%s"}' % long(129), '{"%s":1,"json":true}' % long(29), '{"%s":1,"json":true}' % long(30), '{"%s":1,"json":true}' % long(31),
    '{"foo":%s,"json":true}' % ("1" * 510), '{"foo":%s,"json":true}' % ("1" * 511),
    '{"foo":%s,"json":true}' % ("1" * 512), '{"foo":%s,"json":true}' % ("1" * 513), '{"json":truex}', '{"raw":2.7}', '{"raw":-1}',
    '{"raw":2147483647}', '{"raw":abc}', '{"raw":1x}', '{"raw": 2}', '{"raw":+2}', '{"device":3}', '{"device":"a\\u0041b"}', '{"device":"a\\nb"}',
    '{"device":"a\\xb\\/\\\\\\""}', '{"device":""}', '{"device":"a\\u12"}', '{"device":"\\b\\f\\r\\t\\q"}', '{"json":true,}', '{"json":true,};', "{,}", '{"json"}',
    '{"json":}', '{"json":,"nmea":true}', '{"json" "nmea":true}', '{"json"::true}', '{"json":true}}',
    '{"json":true};;?POLL;', '{} {"json":true}', '{}"json":true}', "{}}}", "{};?POLL;", "{} ;?POLL;",
    '{"enable":true,\n"json":true}', '{"json":[true]}', '{"json":{"a":true}}', '{"enable":true};\n\n?VERSION;',
    '{"json": true }', '{"json":true ,"nmea":true}', '{"json":"', '{"json":tr', '{"json', '{"device":"ab',
    '{"json":true  ', '{"pps":true,"pps":false}', '{"timing":true}{"json":true}', ' {"json":true}', '{"enable":TRUE}',
    '{"json":true\x0b}', '{"json":true]', '{"json":true]}', "true", '"x"', "[]", '{"enable":true}\\n',
    '{"enable":true}\r\n;', '{"a":{"b":{"c":1}},"json":true}', '{"a":"b}","json":true}', '{"a":"b\\"c","json":true}',
    '{"a":nullish[2,"json":true}', '{"a":tr ue,"json":true}', '{"json":true,"foo":"', '{"":1,"json":true}', '{"":"x","json":true}', '{"json":true}  x',
    '{"enable":false};?POLL;', '{"nmea":true,"enable":false,"json":true}']

DEVICES = [
    '{"path":"/dev/none"}', '{"path":3}', '{"path":"a\\"b"}', "x", "{};", '{"path":"DEV0","foo":1}', '{"bps":"x"}',
    '{"flags":3}', '{"parity":"N","stopbits":1}', '{"cycle":1.0}', '{"cycle":1}', '{"cycle":"1"}', '{"driver":"u-blox"}', '{"driver":1}',
    '{"activated":"x"}', '{"activated":1}', '{"path":""}', '{"hexdata":"00"}', '{"path":"/dev/none"};?VERSION;',
    '{"native":true}', '{"sernum":"x"}', '{"path":"DEV0"']

DIALOGUES = [
    ['?WATCH={"enable":true,"json":true}', "?POLL;", '?WATCH={"enable":false}', "?POLL;", '?WATCH={"nmea":true}',
     '?WATCH={"json":false,"raw":1}', '?WATCH={"timing":true}', '?WATCH={"scaled":false}', "?WATCH;"],
    ['?WATCH={"json":true,"device":"/dev/none"}', "?WATCH;", "?POLL;", '?WATCH={"json":true}', "?POLL;"],
    ['?WATCH={"json":true,"device":"DEV0"}', "?WATCH;", "?POLL;"],
    ['?WATCH={"enable":true,', '"json":true};', "?WATCH;"]]

if __name__ == "__main__":
    for receivers in (0, 2):
        run(receivers, FEW + DIALOGUES)
    run(1, FEW + DIALOGUES + [[text] for text in REQUESTS + ["?WATCH=" + text for text in WATCHES]
                              + ["?DEVICE=" + text for text in DEVICES]])
