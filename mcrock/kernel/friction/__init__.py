"""Contacts that slip, bodies that rebound and fly: what the kernel adds where a run has friction.

Enters only where `run.friction.on`: the driver calls `hooks`, rest calls `rest`. A contact that sticks
moves as in the modes without friction, to the last bit, until Coulomb's bound is reached; `edge`, `vertex`
and `train` of `mcrock.kernel` find that instant. From then on the body has its six degrees of freedom:

    hooks              where the driver calls for friction
    state, mobility    position and velocity of the centre of mass; how points answer to forces
    forces, decide     which contacts stick, slip or open at an instant
    onset, jam         how a slip begins, and how it ends where friction leaves no force
    motion, step       smooth motion with slip and in flight
    margin, advance    and the first event in it
    flat, spin         sliding and spinning on a face, and spin about a corner that sticks
    coulomb, pair      impulses or forces at several contacts at once, exact at one and two
    directions         all directions in which one of them can slip
    single, landing    impacts: their laws, and which of them acts
    sticking           whether contacts stick through an impact
    tipping            whether a body tips over what cannot stick
    impacts, events    what an impact changes, and the mode that follows

All quantities are per unit mass where the mass cancels. Ground axes unless a comment says otherwise.
"""
