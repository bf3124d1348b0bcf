"""The hybrid model of three-dimensional rocking, compiled.

Conventions, for the whole package:

- The ground frame moves with the ground and does not turn; z points up. The acceleration of the
  ground is a_g (3,) [m/s2]; in the ground frame the body feels g_eff = -g e_z - a_g.
- The body frame has its origin at the centre of mass (COM) and z along the inward normal of the
  base. Base vertices run counter-clockwise seen from above; edge k runs from vertex k to vertex
  k + 1 of the base, and a positive rotation about that direction lifts the body.
- Quaternions are scalar first and take body vectors to the ground frame.
- ``up`` is the vertical in the body frame (the third row of the rotation matrix).

REST: nothing moves. EDGE: the body turns about an edge, one degree of freedom, the angle from its
first face lying flat. VERTEX: it turns about a vertex, three degrees of freedom. Contact points do
not slip and there is no free flight; where that strains belief the run says so in its counters.
"""
