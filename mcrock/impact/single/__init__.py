"""Laws of one collision with friction as runs take them: floats in, floats out, nothing allocated.

Each module has ``impulse(w, v, e, et, mu) -> (px, py, pz)`` for a point that lands on horizontal ground, in
ground axes. ``w`` is its mobility (xx, xy, xz, yy, yz, zz), the symmetric M^-1 of the point [1/kg]; ``v`` its
velocity before [m/s], with v_z < 0; ``e`` and ``et`` are the normal and tangential coefficients of
restitution and ``mu`` is that of friction [1]. A law does not read the coefficients that it does not have.
The law of Chatterjee and Ruina, which also serves impulses that act elsewhere, takes nine mobilities.
`mcrock.kernel.friction.impacts` takes the law of the run; `mcrock.laws` has the same laws for any contact,
with all solutions and checks.
"""
