"""Contacts that slip, bodies that rebound and fly: what the kernel adds where a run has friction.

Enters only where `run.friction.on`: the driver calls `events`. A contact that sticks moves as in the modes
without friction, to the last bit, until Coulomb's bound is reached; `edge`, `vertex` and `train` of
`mcrock.kernel` find that instant. From then on the body has its six degrees of freedom:

    events     where the driver calls for friction: start, step, and the mode after an event
    decide     which contacts stick, slip or open at an instant, and how a slip begins
    motion     position, velocity, forces and rates with slip and in flight
    flat       sliding and spinning on a face, and spin about a corner that sticks
    step       one step of smooth motion, cut at the first event in it
    coulomb    impulses or forces at several contacts at once, exact at one and two
    impacts    which impact acts, whether contacts stick through it, and what it leaves

All quantities are per unit mass where the mass cancels. Ground axes unless a comment says otherwise.
"""
