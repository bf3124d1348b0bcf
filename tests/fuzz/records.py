"""Damaged record files, read and looked at as `mcrock records check` does it."""

from functools import cache
from pathlib import Path
from random import Random

from mcrock.excitation.readers import scan_records
from mcrock.excitation.selection import survey
from mcrock.show.records import format_surveys
from tests.fuzz.damage import damaged_text

RECORDS = Path(__file__).parents[1] / "unit" / "excitation" / "records"
TABLES = (
    "".join(f"{0.01 * i:.2f}\t{(-0.9) ** i:.6f}\t{0.8**i:.6f}\n" for i in range(200)),
    "time [s],EW [m/s2],NS [m/s2]\n" + "".join(f"{0.01 * i:.2f},{(-0.9) ** i:.6f},{i}\n" for i in range(99)),
    "# a remark\n# x y\n" + "".join(f"{(-0.9) ** i:.6f} {0.8**i:.6f}\n" for i in range(50)),
)


STEPS = [(0.01 * i, 100 * (-0.9) ** i, 50 * 0.8**i, i) for i in range(60)]
NAMED = {  # formats of which no genuine file is at hand
    "a.acc.bbp": "# stat=A\n#    time(sec)      N-S(cm/s/s)      E-W(cm/s/s)      U-D(cm/s/s)\n"
    + "".join("   ".join(f"{value:.6e}" for value in step) + "\n" for step in STEPS),
    "tsmip.txt": "#StationCode: ILA005\n#StartTime: 2017/03/07-22:11:14.000 \n#SampleRate(Hz): 100\n"
    "#AmplitudeUnit:  gal. DCoffset(corr)\n#AmplitudeMAX. U:  100.000~  -90.000\n"
    "#DataSequence: Time U(+); N(+); E(+)\n#Data: 4F10.3 \n"
    + "".join("".join(f"{value:10.3f}" for value in step) + "\n" for step in STEPS),
    "jma.csv": "SITE CODE= 93051,32.7,130.8,12,6.5\n LAT.=  32.7880\n LON.= 130.8190\n SAMPLING RATE= 100Hz\n"
    " UNIT  = gal(cm/s/s)\nINITIAL TIME = 2016 04 14 21 26 20\nNS,EW,UD\n"
    + "".join(",".join(f"{value:.3f}" for value in step[1:]) + "\n" for step in STEPS),
    "asa.txt": "ARCHIVO ESTANDAR DE ACELERACION\nCLAVE DE LA ESTACION : CALE\nFECHA DEL SISMO : 2017/09/19\n"
    "ORIENTACION C1-C6 (rumbo;orientacion) : /N00E;+/V;+/N90W;-///\nUNIDADES DE LOS DATOS : Gal (cm/s2)\n"
    "INTERVALO DE MUESTREO, C1-C6 (s) : /0.01/0.01/0.01///\nNUM. TOTAL DE MUESTRAS, C1-C6 : /60/60/60///\n"
    "ACEL. MAX.(Gal), C1-C6 : /100/50/59///\n CANAL-1 CANAL-2 CANAL-3\nN00E V N90W\n----\n"
    + "".join("  ".join(f"{value:.4f}" for value in step[1:]) + "\n" for step in STEPS),
}


def attempt(number: int, folder: Path) -> None:
    """Read and measure a damaged file, or a folder with it and its neighbours."""
    random = Random(f"record {number}")
    name, content = random.choice(sound_files())
    folder = folder / f"record-{number % 8}"
    folder.mkdir(exist_ok=True)
    for old in folder.iterdir():
        old.unlink()
    path = folder / name
    damaged = damaged_text(random, content.decode("latin-1"))
    path.write_bytes(damaged.encode("latin-1", "replace"))
    unit = random.choice((None, "g", "m/s2"))
    scan = scan_records(random.choice((path, folder)), unit=unit, dt=random.choice((None, None, 0.01)))
    for problem in scan.problems:
        assert "MemoryError" not in problem
    format_surveys(survey(scan.motions), 100, components=random.random() < 0.5)


@cache
def sound_files() -> list[tuple[str, bytes]]:
    """Names and contents of files to damage: one of every format, and tables of text."""
    files = sorted(path for path in RECORDS.rglob("*") if path.is_file() and path.suffix != ".md")
    found = [(path.name, path.read_bytes()) for path in files]
    found += [(name, text.encode()) for name, text in NAMED.items()]
    return found + [(f"table_{i}.csv", text.encode()) for i, text in enumerate(TABLES)] * 3
