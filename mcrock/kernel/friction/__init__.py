"""Contacts that slip, bodies that rebound and fly: what the kernel adds where a run has friction.

Compiled only for studies that ask for it. A contact that sticks moves as in the modes without friction,
to the last bit, until Coulomb's bound is reached; `watch` finds that instant. From then on the body has its
six degrees of freedom:

    state, mobility    position and velocity of the centre of mass; how points answer to forces
    watch              whether the forces of a contact that sticks stay within Coulomb's bound
    decide             which contacts stick, slip or open at an instant
    motion, advance    smooth motion with slip and in flight, cut at its first event
    flat, spin         sliding and spinning on a face, and spin about a corner that sticks
    coulomb, pair      impulses or forces at several contacts at once, at two in closed form
    single, landing    impacts: their laws, and what they lead to

All quantities are per unit mass where the mass cancels. Ground axes unless a comment says otherwise.
"""
