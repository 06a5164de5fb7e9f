// SPDX-License-Identifier: Apache-2.0

extension HelpTopic {
    static let environmentText = """
        DEVICE_SERVICES_GPSD  gpsd on another machine (gpsd://host:port), or the position that another board publishes \
        over MQTT (mqtt://broker/owntracks/USER/DEVICE)
        DEVICE_SERVICES_IIO  the motion sensors of another machine (ip:host)
        DEVICE_SERVICES_ACCESSORIES  folders with declarations of accessories, separated by colons
        DEVICE_SERVICES_CONFIG  the configuration file; if empty, no file is used
        DEVICE_SERVICES_MQTT_PASSWORD_FILE  the default of publish --password-file
        DEVICE_SERVICES_MQTT_CA_FILE  the default of publish --ca-file
        DEVICE_SERVICES_MQTT_CERTIFICATE_FILE  the default of publish --certificate-file
        DEVICE_SERVICES_MQTT_KEY_FILE  the default of publish --key-file

        `sensorctl list` prints the configuration in effect.
        """

    static let jsonText = """
        Each line is one object, and is printed as soon as the data is available. The commands watch, replay and demo \
        print one object per callback. Its name, in "callback", is that of the stream, except:

        location  didUpdateLocations, didFailWithError, didChangeAuthorization
        attitude  deviceMotion
        steps  pedometerData
        activity  motionActivity
        accessories  connectedAccessories (once at the start), EAAccessoryDidConnect, EAAccessoryDidDisconnect
        beacons  didRangeBeacons (once per second), didFailRangingFor
        regions, monitor  didDetermineState, didEnterRegion, didExitRegion
        visits  didVisit
        any  error, if a stream of motion data fails

        The "timestamp" of motion callbacks is in seconds since boot, or since the start of the trace. Accessory \
        callbacks contain a "time" instead. Acceleration is in g, rotation in rad/s, the magnetic field in microtesla, \
        pace in s/m and cadence in steps per second. The "quaternion" (x, y, z, w) describes the rotation from the axes \
        of the device to those of the reference frame. The "magneticAccuracy" ranges from -1 (uncalibrated) to 2. A \
        negative heading is invalid. The other commands print:

        calibrate  one object per result, in rad/s, m/s^2 or gauss; instructions go to standard error
        dashboard  "event" (always "listening"), "uri", "port" and "token"
        doctor  "kind": setting or finding; a finding has a "level": good, remark or problem
        field  x, y, z, horizontal, total (nT), declination, inclination (degrees), each also with the suffixes Rate \
        (per year) and Uncertainty; latitude, longitude, altitude, date, model, epoch; valid (the model covers the date \
        and the altitude), caution (a compass is unreliable: the horizontal field is below 6000 nT) and blackout (it is \
        useless: below 2000 nT)
        info  the fields of the header, "streams" (kind, origin, count, first, last, rate, gaps, longest, longestStart; \
        in seconds and hertz), "positions", "clocks", "warnings" and "damage" (unreadable lines and reports)
        list  "kind": positionSource, receiver, motionSource, sensor, accessorySource, accessory, accessoryCandidate, \
        battery, authorization, traits or problem
        place  latitude, longitude, name, isoCountryCode, country, administrativeArea, locality, subLocality, timeZone, \
        ocean and inlandWater, or null; the best match of a name comes first; one object per line of standard input
        plot  one object per line of the plot, with the plotted values; -o is then not required
        publish  "event": started, connected, lost, spoolFailed, positionLost, positionRegained, sensorLost, missed or ended
        record  "event": started, lost, regained, attached, detached, triggered, saved or ended, with a "sensor" or \
        "accessory"; or missed, with the number of "events" that were dropped because the reader was too slow
        simulate  "event" (always "listening"), "environment", "sources" and "seconds"; gpsd and iio: "uri" and "port", \
        or "path" with --pty; accessory: "folder"
        talk  "time" and "event": opened, in or out (with "bytes", the size, and the data as "text" or "hex"), or ended \
        (with a "reason": detached, hungUp or failed)
        """
}
