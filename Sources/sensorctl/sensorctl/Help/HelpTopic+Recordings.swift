// SPDX-License-Identifier: Apache-2.0

import BlackBox
import GPSDSimulator
import IIODSimulator
import TraceEditing
import TraceFormats

extension HelpTopic {
    static var formatsText: String {
        """
        Commands that read a recording detect its format from the contents. Unreadable parts are skipped with a \
        warning. The name - means standard input, which can contain neither folders nor libiio's XML. If you specify \
        no --format, the file extension determines the output format:

        \(RecordingFormat.all.map { "\($0.name)  \($0.summary)" }.joined(separator: "\n"))

        The option --columns describes the columns of any other table. Its items are separated by commas and have the \
        form QUANTITY=COLUMN:UNIT. COLUMN is a name, or a number such as #5. An example:

          --columns "time=t:ms,lat=Lat,lon=Lon,speed=v:km/h,accel.x=#5:g"

        The quantities are \(CSVColumnMap.quantities.joined(separator: ", ")). The list may also contain settings: \
        separator, decimal, header, skip, period and start, as in decimal=comma or period=0.01. The manual's page \
        "Recording formats" describes them and the units.
        """
    }

    static var faultsText: String {
        """
        Faults are separated by commas and have the form name[=value][(target)][@when[+duration]], as in \
        nofix@30s+20s. @when is the time since the start (see `sensorctl help times`). Without @when, a fault begins \
        at the start. Without a duration, it lasts to the end, or until another fault ends it. \
        Random faults are the same in each run with the same --seed.

        Faults in a recording (--fault of replay, plot, convert, cut and simulate). The target is gpsd, a kind of \
        sensor (\(SensorKindName.list)) or the ID of a sensor. For nofix and clockstep, it is the path of a receiver. \
        For unplug and cut, it is the ID of an accessory. The recording must contain the target. @when may be a date.

        \(TraceFault.syntax)

        Faults of a simulated gpsd (--fault of simulate gpsd, --gpsd-fault of simulate). The target of unplug and \
        return is the path of a receiver. @when may be the number of a report, such as #100.

        \(GPSDFault.syntax)

        Faults of a simulated iiod (--fault of simulate iio, --iio-fault of simulate). The target is a device. @when \
        may be the number of a sample, such as #1000.

        \(IIODFault.syntax)
        """
    }

    static let timesText = """
        Durations, and times since the start of a recording:

        90, 90s, 300ms  seconds or milliseconds
        2m, 1.5h  minutes or hours
        1:30, 1:02:03  minutes and seconds, or hours, minutes and seconds

        --from, --to and the times of faults in a recording may also be dates:

        2026-11-27  the beginning of the day in UTC
        2026-11-27T10:00:00Z  a time in UTC
        2026-11-27T11:00+01:00  a time with an offset from UTC

        Places and regions:

        48.1,11.6  latitude and longitude in degrees, positive to the north and east
        home=48.1,11.6,200  a region with its name and its radius in metres
        """

    static var streamsText: String {
        """
        Streams of watch and replay:

        \(StreamName.ordered.map { "\($0.names.joined(separator: ", "))  \($0.summary)" }.joined(separator: "\n"))

        The signs follow the convention of Core Motion: the accelerometer of a device that lies face up reads z = -1. \
        In a terminal, sensor readings are drawn as scrolling lines, the attitude as an artificial horizon, and the \
        heading as a compass.

        Streams of plot: \(PlotSubject.list).

        Streams of --streams: \(StreamList.allValueStrings.joined(separator: ", ")). Kinds of sensors and single \
        sensors cannot be combined.

        Parts of record --parts: \(PartNames.allValueStrings.joined(separator: ", ")).
        """
    }

    static var eventsText: String {
        """
        With --ring, the command record keeps only the most recent data on disk. When an event occurs, it saves this \
        data as a trace, together with the data recorded shortly after the event (--after). SIGUSR1 is always such an \
        event. The others are selected with --on, separated by commas:

        \(RecordingTrigger.syntax)

        The manual's page "Recordings" describes the traces and the ring.
        """
    }
}
