"""Writes tests/data/io: small .npy and .npz files as NumPy writes them, read by tests/core/io_npy_test.cpp and io_npz_test.cpp.

Every array holds 0, 1, 2, ... in row-major order, times 0.5 for floats, and i % 3 == 0 for bool.
"""
import pathlib
import numpy as np

folder = pathlib.Path(__file__).parent / "io"
folder.mkdir(exist_ok=True)


def values(shape, dtype):
    i = np.arange(int(np.prod(shape))).reshape(shape)
    if np.dtype(dtype).kind == "b":
        return i % 3 == 0
    return (i * 0.5 if np.dtype(dtype).kind == "f" else i).astype(dtype)


for dtype in ["<f2", "<f4", "<f8", "|i1", "<i2", "<i4", "<i8", "|u1", "<u2", "<u4", "<u8", "|b1", ">f2", ">f4", ">f8", ">i2", ">i4", ">i8", ">u8"]:
    order = {"<": "little_", ">": "big_", "|": ""}[dtype[0]]
    np.save(folder / f"{order}{dtype[1:]}_c.npy", values((2, 3, 4), dtype))
    np.save(folder / f"{order}{dtype[1:]}_fortran.npy", np.asfortranarray(values((2, 3, 4), dtype)))
np.save(folder / "scalar.npy", np.float64(2.5))
np.save(folder / "empty.npy", values((3, 0, 2), "<f4"))
np.save(folder / "vector.npy", values((5,), "<f8"))
np.save(folder / "rank8.npy", np.asfortranarray(values((1, 2, 1, 3, 1, 2, 1, 2), "<f4")))
np.save(folder / "special.npy", np.array([np.nan, np.inf, -np.inf, -0.0, 6e-8, -6e-8, 65504.0, 6.1e-5], dtype=np.float16))
for version in [(2, 0), (3, 0)]:
    with open(folder / f"version{version[0]}.npy", "wb") as f:
        np.lib.format.write_array(f, values((2, 3), "<f8"), version=version)

np.save(folder / "bad_complex.npy", np.zeros(2, complex))
np.save(folder / "bad_object.npy", np.array([None, "x"], dtype=object))
np.save(folder / "bad_structured.npy", np.zeros(2, dtype=[("a", "<f4"), ("b", "<i4")]))
np.save(folder / "bad_text.npy", np.array(["ab", "c"]))
np.save(folder / "bad_time.npy", np.array(["2001-01-01"], dtype="datetime64[D]"))
np.save(folder / "bad_longdouble.npy", np.zeros(2, dtype=np.longdouble))
np.save(folder / "bad_raw.npy", np.zeros(2, dtype="V2"))

arrays = dict(q=values((2, 3), "<f4"), k=np.asfortranarray(values((3, 2), ">f8")), mask=values((4,), "|b1"), scale=np.float32(0.5))
np.savez(folder / "stored.npz", **arrays)
np.savez_compressed(folder / "deflated.npz", **arrays)
