// SPDX-License-Identifier: Apache-2.0

import DeviceCore
public import Dispatch
import LiveDevice

/// Properties that exist only on Linux.
extension CLLocationManager {
    /// The serial queue on which callbacks run. If nil (the default), callbacks use the queue or run loop of the
    /// context that created the manager. Trace playback runs all callbacks in one global order unless the player is
    /// configured to deliver them like live hardware.
    public var delegateQueue: DispatchQueue? {
        get { client.delegateQueue }
        set { client.delegateQueue = newValue }
    }

    /// The path of the receiver to use, as reported by gpsd, for example "/dev/ttyACM0". If nil (the default), the
    /// manager uses the configured receiver (`position.receiver`). If none is configured, it uses the best available
    /// receiver.
    ///
    /// The manager uses one receiver at a time. It switches to another receiver if the current one has no fix, or if
    /// the other one has been clearly better for ten seconds. A receiver is clearly better if only it has a 3D fix, or
    /// if its error is less than half the current receiver's.
    public var receiver: String? {
        get { client.settings.receiver }
        set { client.set { $0.receiver = newValue } }
    }

    /// Whether to deliver every report. If false (the default), only the most complete report of each epoch is
    /// delivered.
    public var deliversEveryReport: Bool {
        get { client.settings.deliversEveryReport }
        set { client.set { $0.deliversEveryReport = newValue } }
    }

    /// Whether each location retains the JSON report that it was created from. The default is false, which saves
    /// memory.
    public var keepsRawReports: Bool {
        get { client.settings.keepsRawReports }
        set { client.set { $0.keepsRawReports = newValue } }
    }

    /// The maximum duration of `requestLocation()`, from zero to one day. The default is 10 s.
    public var locationRequestTimeout: Duration {
        get { client.settings.requestTimeout }
        set { client.set { $0.requestTimeout = min(max(.zero, newValue), .seconds(86_400)) } }
    }

    /// The number of locations dropped because the app was too slow to process them.
    package var droppedLocationCount: Int { client.droppedLocations }

    /// The minimum duration of an ambiguous boundary crossing, from zero to one day. The default is 20 s, as documented
    /// by Apple. An unambiguous crossing is reported after two seconds. If this property and `regionCushion` are both
    /// 0, any position on the other side of the boundary counts as a crossing. The setting applies to all regions and
    /// conditions of the current device.
    public static var regionDwell: Duration {
        get { .seconds(RegionEngine.of(LiveDevice.resolved).rules.dwell) }
        set {
            let seconds = newValue.inSeconds
            RegionEngine.of(LiveDevice.resolved).rules.dwell = seconds >= 0 ? min(seconds, 86_400) : 20
        }
    }

    /// The minimum distance beyond the boundary at which a crossing is reported, in metres. The default is 10. For a
    /// small region, the value is limited to a quarter of the radius. If the value is 0, the accuracy of positions is
    /// ignored. The setting applies to all regions and conditions of the current device.
    public static var regionCushion: CLLocationDistance {
        get { RegionEngine.of(LiveDevice.resolved).rules.cushion }
        set { RegionEngine.of(LiveDevice.resolved).rules.cushion = newValue >= 0 ? min(newValue, 1_000_000) : 10 }
    }

    /// The authorization for this manager's device.
    package var authorization: LocationAuthorization { client.authorization }
}
