// SPDX-License-Identifier: Apache-2.0

extension IIODevice {
    /// The axis of a channel, and why it can give no right reading; its scale is 0 then.
    func axis(at place: Int, type: String) -> (axis: IIOAxis, problem: String?) {
        let channel = channels[place]
        var axis = IIOAxis(channel: place, channelID: channel.id)
        let scale = attribute("scale", of: channel, type: type)
        // Where both are offered, only the raw number is what a buffer holds too; without a scale it says nothing.
        axis.isProcessed = channel.attribute("input") != nil && (channel.attribute("raw") == nil || scale == nil)
        guard !axis.isProcessed else { return (axis, nil) }
        do throws(AttributeProblem) {
            if let scale { axis.scale = try number(scale, of: channel) }
            if let offset = attribute("offset", of: channel, type: type) {
                axis.offset = try number(offset, of: channel)
            }
            guard axis.scale != 0 else {
                throw AttributeProblem(
                    attribute: scale, device: self, channel: channel, what: "and a scale cannot be 0")
            }
            // The greatest raw number has 64 bits.
            guard ((abs(axis.offset) + 0x1p64) * axis.scale).isFinite else {
                throw AttributeProblem(
                    attribute: scale, device: self, channel: channel, what: "which is too large for a reading")
            }
            return (axis, nil)
        } catch {
            (axis.scale, axis.offset) = (0, 0)
            return (axis, error.text)
        }
    }

    private func number(_ attribute: IIOAttribute, of channel: IIOChannel) throws(AttributeProblem) -> Double {
        if let number = attribute.number { return number }
        let what = attribute.value == nil ? "" : "which is no finite number with a decimal point"
        throw AttributeProblem(attribute: attribute, device: self, channel: channel, what: what)
    }
}

/// What is wrong with an attribute of a channel.
private struct AttributeProblem: Error {
    let text: String

    init(attribute: IIOAttribute?, device: IIODevice, channel: IIOChannel, what: String) {
        let file = attribute?.filename ?? "the scale"
        let place = "\(file) of \(channel.id) on \(device.title)"
        let remedy = "No reading can be right: look at the driver and at the attribute."
        if let value = attribute?.text {
            text = "\(place) is \"\(value.prefix(40))\", \(what). \(remedy)"
        } else {
            text = "\(place) has no value: it could not be read. \(remedy)"
        }
    }
}
