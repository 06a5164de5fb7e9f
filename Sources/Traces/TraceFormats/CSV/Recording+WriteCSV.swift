// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore

extension Recording {
    /// The recording as CSV: `t,gx,gy,gz,ax,ay,az,mx,my,mz`, and `p` when there is air pressure; columns of sensors that
    /// are missing are left out.
    ///
    /// Seconds since the start, rad/s, proper acceleration in m/s² (+9.81 on the axis that points up), microtesla, kPa,
    /// in the axes of the device: a mount matrix is applied. There is one row for each time at which a sensor was read;
    /// the cells of sensors that were not read at that time are empty, so that nothing is invented. The first sensor of
    /// each kind is written. Numbers are in the shortest form that reads back as the same value.
    public func csv() -> [UInt8] {
        let written = MotionCSVRows.kinds.compactMap { track($0) }
        var rows = MotionCSVRows(written.map(\.sensor))
        var merge = TrackMerge(written)
        while let time = merge.nextTime {
            for (index, track) in written.enumerated() {
                if let sample = merge.take(index, at: time) { rows.take(track.values[sample], of: index, at: time) }
            }
        }
        rows.endRow()
        return rows.takeBytes()
    }
}
