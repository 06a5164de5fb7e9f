// SPDX-License-Identifier: Apache-2.0

public import Dispatch
import LiveDevice

/// Additions for Linux.
extension CLLocationManager {
    /// The serial queue on which callbacks run. If nil (the default), callbacks use the queue or run loop of the
    /// context in which the manager was created. During trace playback, the player runs all callbacks in one global
    /// order, unless it is configured to deliver as live hardware does.
    public var delegateQueue: DispatchQueue? {
        get { client.delegateQueue }
        set { client.delegateQueue = newValue }
    }

    /// The path of the receiver to use, as reported by gpsd, for example "/dev/ttyACM0". If nil (the default), the
    /// manager uses the configured receiver (`position.receiver`) or, if none is configured, the best one. If there are
    /// several receivers, the manager uses one at a time. It switches when the current receiver has no fix, or when a
    /// different receiver has been clearly better (a 3D fix, or half the error) for ten seconds.
    public var receiver: String? {
        get { client.settings.receiver }
        set { client.set { $0.receiver = newValue } }
    }

    /// Whether every report is delivered. If false (the default), only the last and most complete report of each epoch
    /// is delivered.
    public var deliversEveryReport: Bool {
        get { client.settings.deliversEveryReport }
        set { client.set { $0.deliversEveryReport = newValue } }
    }

    /// Whether each location keeps the JSON of its report. The default is false, which saves memory.
    public var keepsRawReports: Bool {
        get { client.settings.keepsRawReports }
        set { client.set { $0.keepsRawReports = newValue } }
    }

    /// The maximum time that `requestLocation()` waits for a sufficiently accurate fix, from 0 to 1 day. The default is
    /// 10 s.
    public var locationRequestTimeout: Duration {
        get { client.settings.requestTimeout }
        set { client.set { $0.requestTimeout = min(max(.zero, newValue), .seconds(86_400)) } }
    }

    /// The number of locations dropped because the app processed them too slowly. At most 1,024 locations are pending.
    package var droppedLocationCount: Int { client.droppedLocations }

    /// The minimum duration of an ambiguous border crossing before it is reported, from 0 to 1 day. The default is 20
    /// s, as documented by Apple; an unambiguous crossing is reported after two seconds. If both this property and
    /// `regionCushion` are 0, every position on the other side of a border counts as a crossing. Applies to all regions
    /// and conditions of the current device: the task's device, the installed device, or the live device.
    public static var regionDwell: Duration {
        get { .seconds(RegionEngine.of(LiveDevice.resolved).rules.dwell) }
        set {
            let seconds = newValue / .seconds(1)
            RegionEngine.of(LiveDevice.resolved).rules.dwell = seconds >= 0 ? min(seconds, 86_400) : 20
        }
    }

    /// The minimum distance beyond a border at which a crossing is reported, in metres. In small regions, a quarter of
    /// the radius is sufficient. The default is 10. If 0, the accuracy of positions is ignored. Applies to the same
    /// regions as `regionDwell`.
    public static var regionCushion: CLLocationDistance {
        get { RegionEngine.of(LiveDevice.resolved).rules.cushion }
        set { RegionEngine.of(LiveDevice.resolved).rules.cushion = newValue >= 0 ? min(newValue, 1_000_000) : 10 }
    }

    /// The authorization for this manager's device, and the current uses of its position.
    package var authorization: LocationAuthorization { client.authorization }
}
