#!/usr/bin/env python3
"""A synthetic accelerogram in PEER AT2 format, as inputs/data/synthetic_030g.at2 holds one.

    make_accelerogram.py OUT.at2 [--peak 0.3] [--duration 10] [--step 0.01] [--seed 1]

White noise from a fixed generator goes through the filter of a stiff soil (Kanai-Tajimi, 2.5 Hz, 60 %
damping) and a high-pass (0.3 Hz) that takes out slow drift; an envelope lets it grow during 1.5 s and
fade from 5 s on. Velocity and displacement end at zero: a parabola in time is taken from the
acceleration (least squares on what the double integral leaves). No library but Python's own, so the
file is the same everywhere.
"""

import argparse
import math


def noise(n, seed):
    """Gaussian numbers of a linear congruential generator and Box-Muller."""
    state = seed * 2654435761 % 2**32
    out = []
    while len(out) < n:
        u = []
        for _ in range(2):
            state = (1664525 * state + 1013904223) % 2**32
            u.append((state + 0.5) / 2**32)
        r = math.sqrt(-2 * math.log(u[0]))
        out += [r * math.cos(2 * math.pi * u[1]), r * math.sin(2 * math.pi * u[1])]
    return out[:n]


def oscillator(load, frequency, damping, dt):
    """Relative displacement, velocity and load of x'' + 2 d w x' + w^2 x = load (average acceleration)."""
    w = 2 * math.pi * frequency
    x = v = a = 0.0
    rows = []
    for p in load:
        guess_x, guess_v = x + dt * v + dt * dt / 4 * a, v + dt / 2 * a
        a = (p - 2 * damping * w * guess_v - w * w * guess_x) / (1 + damping * w * dt + w * w * dt * dt / 4)
        x, v = guess_x + dt * dt / 4 * a, guess_v + dt / 2 * a
        rows.append((x, v, p))
    return rows, w


def envelope(t, duration):
    if t < 1.5:
        return (t / 1.5) ** 2
    fade = 0.5 * duration
    return 1.0 if t < fade else math.exp(-3.0 * (t - fade) / (duration - fade)) * min(1, (duration - t) / 0.5)


def integrals(a, dt):
    """End velocity and displacement of the piecewise linear record."""
    v = x = 0.0
    for a0, a1 in zip(a, a[1:]):
        x += dt * v + dt * dt * (2 * a0 + a1) / 6
        v += dt * (a0 + a1) / 2
    return v, x


def without_drift(a, dt):
    """Two smooth humps are taken off so that velocity and displacement end at zero."""
    n = len(a) - 1
    hump = [[math.sin(math.pi * k / n) ** 2 * (k / n) ** p for k in range(n + 1)] for p in (0, 1)]
    (v0, x0), (v1, x1), (v, x) = integrals(hump[0], dt), integrals(hump[1], dt), integrals(a, dt)
    det = v0 * x1 - v1 * x0
    c0, c1 = (v * x1 - v1 * x) / det, (v0 * x - v * x0) / det
    return [ak - c0 * p - c1 * q for ak, p, q in zip(a, hump[0], hump[1])]


def record(peak, duration, dt, seed):
    n = int(round(duration / dt)) + 1
    soil, w = oscillator(noise(n, seed), 2.5, 0.6, dt)
    ground = [w * w * x + 2 * 0.6 * w * v for x, v, _ in soil]
    high, w = oscillator(ground, 0.3, 0.8, dt)
    a = [p - w * w * x - 2 * 0.8 * w * v for x, v, p in high]
    a = without_drift([ak * envelope(k * dt, duration) for k, ak in enumerate(a)], dt)
    largest = max(abs(ak) for ak in a)
    return [ak * peak / largest for ak in a]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out")
    parser.add_argument("--peak", type=float, default=0.3, help="largest acceleration [g]")
    parser.add_argument("--duration", type=float, default=10, help="[s]")
    parser.add_argument("--step", type=float, default=0.01, help="[s]")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    a = record(args.peak, args.duration, args.step, args.seed)
    with open(args.out, "w") as out:
        out.write("SYNTHETIC RECORD, NOT AN EARTHQUAKE: make_accelerogram.py\n")
        out.write(f"KANAI-TAJIMI 2.5 HZ, ENVELOPE, PEAK {args.peak:g} G, SEED {args.seed}\n")
        out.write("ACCELERATION TIME SERIES IN UNITS OF G\n")
        out.write(f"NPTS= {len(a):6d}, DT= {args.step:8.5f} SEC\n")
        for k in range(0, len(a), 5):
            out.write("".join(f"{ak:15.7E}" for ak in a[k:k + 5]) + "\n")


main()
