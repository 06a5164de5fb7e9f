#!/usr/bin/env python3
# This source file is part of the swift-device-services project.
# SPDX-License-Identifier: Apache-2.0
"""Counts steps and classifies activities with other methods, on the recordings in Simulators/Traces/steps.

    make_steps_reference.py [FOLDER] > Reference/steps.tsv

Requires numpy and scipy, and scikit-learn for the forest. FOLDER can be another directory of the same kind: truth.tsv,
ox_*.csv and ms_*.csv. The foot switches in truth.tsv are counted twice: all of them, and without those that closed twice
within 0.3 s.

- plain: the magnitude at 50 Hz through a causal second-order Butterworth band-pass filter, 0.5 to 3 Hz; peaks with a
  prominence of 1.4 m/s^2, at least 0.3 s apart; runs of at least eight peaks with gaps of up to 1.2 s.
- published: windowed peak detection as described by D. Salvi and others (EMBC 2018), implemented from the description: a
  13-tap Gaussian at 100 Hz; the mean difference between the centre of 35 samples and the others, above the running mean by
  1.2 running standard deviations; the maximum within 0.2 s.
- rule: windows of 2.56 s are rest if the standard deviation of the magnitude is at most 0.12 g, and running if it exceeds
  0.91 g along one axis.
- forest: 100 trees on 24 features of each window, trained on the other subjects of FOLDER (or of TRAINING).
"""
import os
import sys

import numpy as np
from scipy.signal import butter, find_peaks, lfilter, lfilter_zi

HERE = os.path.dirname(os.path.abspath(__file__))
FOLDER = sys.argv[1] if len(sys.argv) > 1 else os.path.join(HERE, "../../../Simulators/Traces/steps")
TRAINING = sys.argv[2] if len(sys.argv) > 2 else FOLDER
LABELS = {"sit": 0, "std": 0, "wlk": 1, "ups": 1, "dws": 1, "jog": 2}


def read(folder, name):
    return np.loadtxt(os.path.join(folder, name), delimiter=",", skiprows=1)


def gated(times, least=8, gap=1.2):
    total = run = 0
    last = -9
    for time in times:
        run = run + 1 if time - last <= gap else 1
        last = time
        total += least if run == least else 1 if run > least else 0
    return total


def plain(magnitude):
    b, a = butter(2, [0.5, 3], "band", fs=50)
    y, _ = lfilter(b, a, magnitude, zi=lfilter_zi(b, a) * magnitude[0])
    peaks, _ = find_peaks(y, prominence=1.4, distance=15)
    return gated(peaks * 0.02)


def published(magnitude):
    m = np.interp(np.arange(0, len(magnitude) * 0.02, 0.01), np.arange(len(magnitude)) * 0.02, magnitude)
    k = np.arange(13) - 6
    g = np.exp(-0.5 * (k / (0.35 * 6)) ** 2)
    m = np.convolve(m, g / g.sum(), "valid")
    score = np.array([m[i] - (m[i - 17:i + 18].sum() - m[i]) / 34 for i in range(17, len(m) - 17)])
    mean = square = 0.0
    peaks = []
    for i, s in enumerate(score):
        n = i + 1
        delta = s - mean
        mean += delta / n
        square += delta * (s - mean)
        if n > 15 and s - mean > 1.2 * np.sqrt(square / n):
            if peaks and i - peaks[-1][0] < 20:
                if s > peaks[-1][1]:
                    peaks[-1] = (i, s)
            else:
                peaks.append((i, s))
    return len(peaks)


def windows(samples):
    return [samples[i:i + 128] for i in range(0, len(samples) - 127, 64)]


def rule(w):
    if np.linalg.norm(w, axis=1).std() <= 0.12:
        return 0
    return 2 if w.std(axis=0).max() > 0.91 else 1


def numbers(w):
    m = np.linalg.norm(w, axis=1)
    x = np.column_stack([w, m])
    return np.concatenate([x.mean(0), x.std(0), x.min(0), x.max(0), np.percentile(x, 25, 0), np.percentile(x, 75, 0)])


def macro_f1(truth, told):
    scores = []
    for label in range(3):
        hit = sum(t == label and p == label for t, p in zip(truth, told))
        scores.append(2 * hit / (truth.count(label) + told.count(label)))
    return np.mean(scores)


def main():
    print("name\ttruth\tbounces merged\tplain\tpublished")
    for line in open(os.path.join(FOLDER, "truth.tsv"), encoding="utf-8").read().splitlines()[1:]:
        name, steps, _, times = (line.split("\t") + ["", "", ""])[:4]
        if not name.startswith("ox_"):
            continue
        merged, last = 0, -9.0
        for time in map(float, times.split()):
            if time - last >= 0.3:
                merged += 1
                last = time
        m = np.linalg.norm(read(FOLDER, name + ".csv") * 0.01, axis=1)
        print(name, steps, merged, plain(m), published(m), sep="\t")

    def subject(file):
        return int(file[-6:-4])

    files = sorted(f for f in os.listdir(FOLDER) if f.startswith("ms_"))
    truth, told = [], []
    for file in files:
        w = windows(read(FOLDER, file) * 0.001)
        truth += [LABELS[file[3:6]]] * len(w)
        told += [rule(x) for x in w]
    print("macro F1 of the rule", round(float(macro_f1(truth, told)), 4), sep="\t")
    try:
        from sklearn.ensemble import RandomForestClassifier
    except ImportError:
        return
    tested = {subject(f) for f in files}
    train = [f for f in sorted(os.listdir(TRAINING)) if f.startswith("ms_") and subject(f) not in tested]
    if not train:
        return
    x, y = [], []
    for file in train:
        w = windows(read(TRAINING, file) * 0.001)
        x += [numbers(v) for v in w]
        y += [LABELS[file[3:6]]] * len(w)
    forest = RandomForestClassifier(100, random_state=0).fit(np.array(x), y)
    told = list(forest.predict(np.array([numbers(v) for f in files for v in windows(read(FOLDER, f) * 0.001)])))
    print("macro F1 of the forest", round(float(macro_f1(truth, told)), 4), sep="\t")


main()
