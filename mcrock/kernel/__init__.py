"""The hybrid model of three-dimensional rocking, compiled.

Conventions, for the whole package:

- The ground frame moves with the ground and does not turn; z points up. The acceleration of the
  ground is a_g (3,) [m/s2]; in the ground frame the body feels g_eff = -g e_z - a_g.
- The body frame has its origin at the centre of mass (COM) and z along the inward normal of the
  base. Base vertices run counter-clockwise seen from above; edge k runs from vertex k to vertex
  k + 1 of the base, and a positive rotation about that direction lifts the body.
- Quaternions are scalar first and take body vectors to the ground frame.
- ``up`` is the vertical in the body frame (the third row of the rotation matrix).

A contact mode says what touches the ground and how. Where contacts stick: REST, nothing moves; EDGE, the
body turns about an edge, one degree of freedom, the angle from its first face lying flat; VERTEX, it turns
about a vertex, three degrees of freedom. Without friction there are no others, and where that strains belief
the run says so in its counters. With friction a body also slips on a face, an edge or a vertex, and flies.

`integrate` is the driver, `layout` the record of a run that all functions take, with the names of its
fields, `codes` has those of modes and events, and each mode has its file: `rest`, `edge`, `vertex`, `train`
for many short flights about a vertex, and those of `friction`. Impacts are in `landing`. `mcrock docs kernel`
walks through a run.
"""
